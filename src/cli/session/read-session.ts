// Imports a session file into threads, in little memory: format detected or named; a failure leaves nothing.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Composed } from '../../compose.ts'
import { PrecisError } from '../../core/errors.ts'
import {
  type ImportedSession,
  type ImportOptions,
  importSession,
} from '../../formats/reading/import-session.ts'
import { ReadNotes } from '../../formats/reading/notes.ts'
import { detectFormat, readSample } from '../../formats/reading/sample.ts'
import type { Sample, SessionFormat, Source } from '../../formats/session-format.ts'
import type { ProgressLine } from '../terminal/progress.ts'
import { readingFrom } from '../terminal/source.ts'
import { readFormat } from './formats.ts'

interface ReadOptions
  extends Pick<ImportOptions, 'records' | 'source' | 'title' | 'earlier' | 'openAnswer'> {
  readonly named?: string | undefined // the format
  readonly progress: ProgressLine
}

export interface ReadSession extends ImportedSession {
  readonly format: SessionFormat
}

/** `given` is the file's name for people. */
export async function readSession(
  composed: Composed,
  source: Source,
  given: string,
  { named, progress, ...options }: ReadOptions,
): Promise<ReadSession> {
  const format = named === undefined ? undefined : readFormat(named, composed)
  const passed = saveMemoryFor(source.bytes)
  const notes = new ReadNotes(({ bytes, records }) => {
    passed(bytes)
    progress.share(`reading ${given}: ${records} records`, bytes, source.bytes)
  })
  return readingFrom(given, async () => {
    const sample = await readSample(source)
    const found = format ?? toldFormat(sample, composed.formats)
    const imported = await importWhole(composed, found, source, { ...options, notes })
    const { records, modelled } = notes.account
    if (format === undefined || modelled > 0 || records === 0) return { ...imported, format: found }
    await forget(composed, imported)
    const like = composed.formats.find((each) => each.detect(sample))
    throw new PrecisError('invalid-input', `the file has no record of the format ${format.id}`, {
      hint:
        like === undefined
          ? 'Omit --format to detect the format.'
          : `It looks like ${like.id}: say --format ${like.id}, or leave it out.`,
    })
  })
}

/** The user may name the format; the hint names a command with that option. */
function toldFormat(sample: Sample, formats: readonly SessionFormat[]): SessionFormat {
  try {
    return detectFormat(sample, formats)
  } catch (thrown) {
    if (!PrecisError.is(thrown) || thrown.code !== 'unknown-format') throw thrown
    const naming = 'Name its format with --format, as in precis compact FILE --format anthropic.'
    throw new PrecisError(thrown.code, thrown.message, { hint: `${naming} ${thrown.hint ?? ''}` })
  }
}

/** A truncated thread would be mistaken for the whole session. */
async function importWhole(
  { threads }: Composed,
  format: SessionFormat,
  source: Source,
  options: ImportOptions,
): Promise<ImportedSession> {
  const started: string[] = []
  const target = {
    ...threads,
    create: async (...given: Parameters<typeof threads.create>) => {
      const threadId = await threads.create(...given)
      started.push(threadId)
      return threadId
    },
  }
  try {
    return await importSession(target, format, source, options)
  } catch (thrown) {
    // Another process continues it.
    if (PrecisError.is(thrown) && thrown.code === 'version-conflict') throw thrown
    for (const threadId of started) await threads.delete(threadId)
    throw thrown
  }
}

async function forget({ threads }: Composed, imported: ImportedSession): Promise<void> {
  for (const threadId of [imported.threadId, ...imported.subThreadIds])
    await threads.delete(threadId)
}

const LARGE_BYTES = 16_000_000
const BETWEEN_BYTES = 8_000_000
/** Allowed heap growth before a collection; the default is several times as much. */
const GROWING_PERCENT = 10

/** Called with the number of bytes read. */
type OnBytes = (bytes: number) => void

/**
 * While a file streams through, nearly all objects die young, and during compaction most do. Still, the heaps
 * of this thread and of the database's would grow by hundreds of megabytes before a collection. This is
 * slower.
 */
function saveMemoryFor(bytes: number | undefined): OnBytes {
  if ((bytes ?? 0) <= LARGE_BYTES) return () => undefined
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`)
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  let collected = 0
  return (passed) => {
    if (passed - collected < BETWEEN_BYTES) return
    collected = passed
    collect()
  }
}
