// A session opened for a command: in memory, from a file or a copy of a stored thread.
import { type Composed, compose } from '../../compose.ts'
import { PrecisError } from '../../core/errors.ts'
import { readRow } from '../../core/log/codec.ts'
import type { EventAt, NewEvent, ThreadEvent } from '../../core/log/event.ts'
import type { Store } from '../../core/ports.ts'
import type { Settings } from '../../core/settings/settings.ts'
import type { Json } from '../../core/text/json.ts'
import type { Context } from '../../core/view/context.ts'
import type { Account } from '../../formats/reading/notes.ts'
import type { SessionFormat } from '../../formats/session-format.ts'
import { valueStore } from '../../stores/memory/memory.ts'
import type { Io } from '../process-io.ts'
import type { ProgressLine } from '../terminal/progress.ts'
import { openHome } from '../threads/home.ts'
import type { Target } from './formats.ts'
import { openInput } from './input.ts'
import { readSession } from './read-session.ts'

export interface Session {
  readonly target: Target
  readonly composed: Composed
  readonly threadId: string
  readonly version: number // of the thread as read
  readonly subThreadIds: readonly string[]
  /** Format of the file, or of the file the thread was imported from. */
  readonly format?: SessionFormat
  readonly problems: readonly string[]
  readonly account?: Account
  close(): Promise<void>
}

interface SessionOptions {
  readonly settings: Settings
  readonly named?: string | undefined // the format of a file
  readonly progress: ProgressLine
}

export async function openSession(
  target: Target,
  options: SessionOptions,
  io: Io,
): Promise<Session> {
  const { settings, named, progress } = options
  const composed = compose({ store: valueStore(), settings, environment: io.environment })
  try {
    if (target.kind === 'thread') {
      refuseFormat(named)
      return { target, composed, ...(await buildCopy(target.threadId, composed, settings, io)) }
    }
    const source = await openInput(target.path, io, { lines: 'read again' })
    const read = await readSession(composed, source, target.path, { named, progress })
    const { threadId, subThreadIds, format, notes } = read
    const { problems, account } = notes
    const close = () => composed.close()
    const { version } = await composed.threads.context(threadId)
    return { target, composed, threadId, version, subThreadIds, format, problems, account, close }
  } catch (thrown) {
    await composed.close()
    throw thrown
  }
}

function refuseFormat(named: string | undefined): void {
  if (named === undefined) return
  throw new PrecisError('usage', '--format applies to files, not to threads', {
    where: '--format',
    hint: 'Leave it out.',
  })
}

/** Copies every event, so that changes to the copy apply to the thread. */
async function buildCopy(threadId: string, composed: Composed, settings: Settings, io: Io) {
  const home = await openHome(settings, io)
  try {
    const events = await copyThread(home.store, composed.store, threadId)
    const subThreadIds = await findSubThreads(home.store, threadId)
    for (const sub of subThreadIds) await copyThread(home.store, composed.store, sub)
    const format = formatOfLog(events, composed.formats)
    return {
      threadId,
      version: events.length,
      subThreadIds,
      ...(format && { format }),
      problems: [],
      close: () => composed.close(),
    }
  } finally {
    await home.close()
  }
}

const COPIED_EVENTS = 1_000

async function copyThread(from: Store, to: Store, threadId: string): Promise<ThreadEvent[]> {
  const events = await readEvents(from, threadId)
  if (events.length === 0)
    throw new PrecisError('unknown-thread', `Thread ${threadId} not found`, {
      where: threadId,
      hint: 'precis threads lists those in the store.',
    })
  for (let at = 0; at < events.length; at += COPIED_EVENTS) {
    const page = events.slice(at, at + COPIED_EVENTS)
    await to.append(threadId, page.map(unnumbered), { expectedVersion: at })
  }
  return events
}

function unnumbered({ seq: _, ...event }: ThreadEvent): NewEvent {
  return event as NewEvent
}

/** The context of a thread in memory, and its rows. */
export interface LoadedSession {
  readonly context: Context
  readonly eventAt: EventAt
  readonly events: readonly ThreadEvent[]
}

export async function loadThread(
  { threads, store }: Pick<Composed, 'threads' | 'store'>,
  threadId: string,
): Promise<LoadedSession> {
  const context = await threads.context(threadId)
  const events = await readEvents(store, threadId)
  return { context, events, eventAt: (seq) => events[seq - 1] }
}

const READ_ROWS = 2_000

/** The stored log: `getAllEvents` would fold all of it to compute what each compaction left. */
export async function readEvents(
  store: Pick<Store, 'read'>,
  threadId: string,
): Promise<ThreadEvent[]> {
  const events: ThreadEvent[] = []
  for (;;) {
    const rows = await store.read(threadId, { from: events.length + 1, limit: READ_ROWS })
    for (const row of rows) events.push(readRow(row))
    if (rows.length < READ_ROWS) return events
  }
}

/** Undefined if the thread was not imported, or without its records. */
export function formatOfLog(
  events: readonly ThreadEvent[],
  formats: readonly SessionFormat[],
): SessionFormat | undefined {
  for (const event of events) {
    const id = formatIn(event.type === 'FOREIGN' ? event.data : event.source)
    const found = id === undefined ? undefined : formats.find((format) => format.id === id)
    if (found) return found
  }
  return undefined
}

function formatIn(kept: Json | undefined): string | undefined {
  if (typeof kept !== 'object' || kept === null || !('format' in kept)) return undefined
  return typeof kept.format === 'string' ? kept.format : undefined
}

/** A store may hold any number of threads: only the most recently used are examined. */
const LOOKED_AT = 5_000
const PAGE = 500

/** In the order in which the file started them. */
async function findSubThreads(store: Store, threadId: string): Promise<string[]> {
  const [first] = await store.read(threadId, { limit: 1 })
  const started = first === undefined ? undefined : readRow(first)
  if (started?.type !== 'THREAD_STARTED' || started.data.reason !== 'import') return []
  const found: { readonly threadId: string; readonly seq: number }[] = []
  let after: string | undefined
  for (let looked = 0; looked < LOOKED_AT; looked += PAGE) {
    const page = await store.list({ limit: PAGE, ...(after !== undefined && { after }) })
    for (const each of page.items) {
      const seq = await cameFrom(store, each.threadId, threadId)
      if (seq !== undefined) found.push({ threadId: each.threadId, seq })
    }
    after = page.next
    if (after === undefined) break
  }
  return found
    .sort((a, b) => a.seq - b.seq || (a.threadId < b.threadId ? -1 : 1))
    .map((sub) => sub.threadId)
}

async function cameFrom(store: Store, sub: string, main: string): Promise<number | undefined> {
  const [row] = await store.read(sub, { limit: 1 })
  const event = row === undefined ? undefined : readRow(row)
  if (event?.type !== 'THREAD_STARTED' || event.data.reason !== 'import') return undefined
  return event.data.from?.threadId === main ? event.data.from.seq : undefined
}
