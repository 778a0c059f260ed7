// `precis start`: compacts the sample session, or your own, with the defaults and shows the result.
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import type { Io } from '../process-io.ts'
import { nearPath } from '../program-name.ts'
import { type ChosenBy, choosing } from '../sessions/choosing.ts'

const HELP = `
Needs no key and no network, and changes nothing. In a checkout, npm start does the same.

Examples:
  precis start
  precis start ~/.claude/projects/my-project/session.jsonl
  precis start thr_…

Exit codes: 0 done, 1 failed, 2 wrong usage or settings.`

const SAMPLE = fileURLToPath(new URL('../../../samples/session.jsonl', import.meta.url))

const INTRODUCTION = `This is the sample session: a day of work on a small harbour service, as Claude
Code would have written it. précis shows what it would look like after a
compaction with the defaults; nothing is changed.

`

export function define(command: Command, io: Io): void {
  command
    .argument('[session]', 'a session file, a thread or an id (default: the sample session)')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(async (given: string | undefined, flags: ChosenBy & { json?: boolean }) => {
      const { chooseSession } = await import('../sessions/choose-sessions.ts')
      await start(await chooseSession(given, flags, io), flags, io)
    })
  choosing(command)
}

/** Nothing is written, whatever is given: a thread keeps its context, and the proposal is kept. */
async function start(
  given: string | undefined,
  { json = false }: { readonly json?: boolean },
  io: Io,
): Promise<void> {
  const { runCompact } = await import('../compact/run-compact.ts')
  const { targetOf } = await import('../session/formats.ts')
  const { writeStream } = await import('../terminal/io.ts')
  if (given === undefined && !json) await writeStream(io.stdout, INTRODUCTION)
  const source = given ?? nearPath(SAMPLE, io.cwd)
  const isThread = targetOf(source, 'start', io).kind === 'thread'
  await runCompact(source, { json, ...(isThread && { dryRun: true }) }, io)
}
