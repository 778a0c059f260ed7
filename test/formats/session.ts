// A file into a fresh store and out again, for the tests of formats.
import type { EventDraft } from '../../src/core/log/event.ts'
import { SESSION_FORMATS } from '../../src/formats/index.ts'
import { type ImportedSession, importSession } from '../../src/formats/reading/import-session.ts'
import { detectFormat, readSample, textSource } from '../../src/formats/reading/sample.ts'
import type {
  Outgoing,
  SessionFormat,
  Source,
  View,
  WriteOptions,
} from '../../src/formats/session-format.ts'
import { memoryStore } from '../../src/stores/memory/memory.ts'
import { createThreads, type Threads } from '../../src/threads/threads.ts'
import { testClock, testIds } from '../generate/test-log.ts'

export function freshThreads(): Threads {
  return createThreads({ store: memoryStore(), clock: testClock(), ids: testIds() })
}

export function formatOf(id: string): SessionFormat {
  const format = SESSION_FORMATS.find((known) => known.id === id)
  if (!format) throw new Error(`there is no format ${id}`)
  return format
}

/** The same ids on every run. */
export function writing(): WriteOptions {
  let count = 0
  return {
    now: new Date(Date.UTC(2026, 0, 2)),
    newId: () => {
      count += 1
      return `00000000-0000-4000-8000-${count.toString(16).padStart(12, '0')}`
    },
  }
}

/** Records as the lines of a file. */
export function lines(...records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

export interface Opened extends ImportedSession {
  readonly threads: Threads
  readonly format: SessionFormat
  readonly view: View
}

/** Reads a file in the format that its content shows, unless it is named. */
export async function openText(text: string, named?: SessionFormat): Promise<Opened> {
  return openSource(textSource(text), named)
}

export async function openSource(source: Source, named?: SessionFormat): Promise<Opened> {
  const format = named ?? detectFormat(await readSample(source), SESSION_FORMATS)
  const threads = freshThreads()
  const imported = await importSession(threads, format, source)
  return { ...imported, threads, format, view: await viewIn(threads, imported.threadId) }
}

/** Without the refs, which are numbers of the log: another log has others. */
export async function viewIn(threads: Threads, threadId: string): Promise<View> {
  const { system, messages } = await threads.messages(threadId)
  const text = JSON.stringify({ system, messages }, (key, value) =>
    key === 'ref' ? undefined : value,
  )
  return JSON.parse(text)
}

/** A thread with these drafts in it. */
export async function threadOf(drafts: readonly EventDraft[]) {
  const threads = freshThreads()
  const threadId = await threads.create()
  await threads.import(threadId, drafts)
  return { threads, threadId, view: await viewIn(threads, threadId) }
}

/** All that a writer can be given of a session. */
export async function outgoingOf({ threads, threadId, subThreadIds }: Opened): Promise<Outgoing> {
  return {
    view: await viewIn(threads, threadId),
    events: await threads.getAllEvents(threadId),
    sideEvents: await Promise.all(subThreadIds.map((id) => threads.getAllEvents(id))),
  }
}
