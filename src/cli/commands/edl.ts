// `precis edl`: options and help. Its action is loaded on demand.
import type { Command } from 'commander'
import type { EdlFlags } from '../edl/edl-script.ts'
import type { Io } from '../process-io.ts'

const HELP = `
Paths:
  A path in the script is relative to DIR, with or without a leading slash. Nothing outside DIR is read or
  written, neither by .. nor through a link.

Output:
  All or nothing: if one file fails, no file is changed. With --partial, the other files are written
  anyway. Each file is replaced as a whole, and only if it has not changed since it was read.
  --dry-run writes nothing and shows the differences. --diff shows them and writes.
  --json prints the report and errors as JSON.

Examples:
  precis edl change.edl --root docs --dry-run
  precis edl change.edl --root docs
  printf 'file notes.md\\nselect /red/\\nreplace "green"\\n' | precis edl - --root .

docs/edl.md describes the language.

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('<script>', 'the script; - reads standard input')
    .requiredOption('--root <dir>', 'the directory whose files the script may read and change')
    .option('--dry-run', 'write nothing and show the differences')
    .option('--diff', 'show the differences')
    .option('--partial', 'write the files that succeed even if others fail')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(async (script: string, flags: EdlFlags) => {
      const { applyScript } = await import('../edl/edl-script.ts')
      await applyScript(script, flags, io)
    })
}
