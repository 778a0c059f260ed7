// The main job from a fresh clone: the sample session, or one's own, compacted with the defaults and shown.
import { fileURLToPath } from 'node:url'
import { runCompact } from './compact/run-compact.ts'
import type { Io } from './process-io.ts'
import { nearPath } from './program-name.ts'
import { targetOf } from './session/formats.ts'
import { writeStream } from './terminal/io.ts'

const SAMPLE = fileURLToPath(new URL('../../samples/session.jsonl', import.meta.url))

const INTRODUCTION = `This is the sample session: a day of work on a small harbour service, as Claude
Code would have written it. précis shows what it would look like after a
compaction with the defaults; nothing is changed.

`

/** Nothing is written, whatever is given: a thread keeps its context, and the proposal is kept. */
export async function start(
  given: string | undefined,
  { json = false }: { readonly json?: boolean },
  io: Io,
): Promise<void> {
  if (given === undefined && !json) await writeStream(io.stdout, INTRODUCTION)
  const source = given ?? nearPath(SAMPLE, io.cwd)
  const isThread = targetOf(source, 'start', io).kind === 'thread'
  await runCompact(source, { json, ...(isThread && { dryRun: true }) }, io)
}
