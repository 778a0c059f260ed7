// `precis edl`: its options and its help. The work is loaded when it is asked for.
import type { Command } from 'commander'
import type { EdlFlags } from '../edl-script.ts'
import type { Io } from '../process-io.ts'

const HELP = `
Paths:
  A path in the script begins at DIR, with a leading slash or without one. Nothing outside of DIR is read
  or written, whether by .. or by a link.

What is written:
  Everything or nothing: where one file fails, no file is changed. With --partial the other files are
  written all the same. Each file is replaced as a whole, and only if nobody else changed it meanwhile.
  --dry-run writes nothing and shows the differences; --diff shows them and writes.
  --json makes the report JSON; errors are then JSON, too.

Examples:
  precis edl change.edl --root docs --dry-run
  precis edl change.edl --root docs
  printf 'file notes.md\\nselect /red/\\nreplace "green"\\n' | precis edl - --root .

The language is described in docs/edl.md.

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

export function define(command: Command, io: Io): void {
  command
    .argument('<script>', 'the script; - is standard input')
    .requiredOption('--root <dir>', 'the folder whose files may be read and changed')
    .option('--dry-run', 'write nothing, show what would change')
    .option('--diff', 'show the differences')
    .option('--partial', 'write the files that went well even if others failed')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(async (script: string, flags: EdlFlags) => {
      const { applyScript } = await import('../edl-script.ts')
      await applyScript(script, flags, io)
    })
}
