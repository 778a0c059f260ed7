// A recorded session of any agent as logs to cut: one as it was compacted, one as if it never had been.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { EventDraft, EventType, ThreadEvent } from '../../src/core/log/event.ts'
import type { Store } from '../../src/core/ports.ts'
import type { Part, UserContent } from '../../src/core/view/content.ts'
import { SESSION_FORMATS } from '../../src/formats/index.ts'
import { importSession } from '../../src/formats/reading/import-session.ts'
import { detectFormat, readSample, textSource } from '../../src/formats/reading/sample.ts'
import { memoryStore } from '../../src/stores/memory/memory.ts'
import { randomIds, systemClock } from '../../src/system.ts'
import { createThreads, type Threads } from '../../src/threads/threads.ts'

export interface Log {
  readonly threadId: string
  /** By sequence number less 1. */
  readonly events: readonly ThreadEvent[]
}

export interface Session {
  /** A hash of its content: rows that are committed name no files. */
  readonly id: string
  readonly format: string
  readonly store: Store
  readonly threads: Threads
  /** Everything that was said, and no compaction. */
  readonly whole: Log
  /** With the compactions that the agent recorded. */
  readonly compacted: Log
}

/** Throws a PrecisError where the file is no session of a known format. */
export async function readSession(path: string): Promise<Session> {
  const text = readFileSync(path, 'utf8')
  const source = textSource(text)
  const format = detectFormat(await readSample(source), SESSION_FORMATS)
  const { store, threads } = newThreads()
  const target = {
    ...threads,
    append: (threadId: string, drafts: readonly EventDraft[], choices: { openCalls: 'leave' }) =>
      threads.append(threadId, drafts.map(onlyText), choices),
  }
  const { threadId } = await importSession(target, format, source, { records: 'drop' })
  const events = (await threads.getAllEvents(threadId)) as ThreadEvent[]
  return {
    id: createHash('sha256').update(text).digest('hex').slice(0, 12),
    format: format.id,
    store,
    threads,
    compacted: { threadId, events },
    whole: await uncompacted(threads, events),
  }
}

/** A session that is at hand as drafts, for tests. */
export async function sessionOf(id: string, drafts: readonly EventDraft[]): Promise<Session> {
  const { store, threads } = newThreads()
  const threadId = await threads.create()
  await threads.import(threadId, drafts)
  const whole = { threadId, events: (await threads.getAllEvents(threadId)) as ThreadEvent[] }
  return { id, format: 'drafts', store, threads, whole, compacted: whole }
}

function newThreads(): Pick<Session, 'store' | 'threads'> {
  const store = memoryStore()
  return { store, threads: createThreads({ store, clock: systemClock, ids: randomIds }) }
}

const SAID: ReadonlySet<EventType> = new Set<EventType>([
  'SYSTEM_PROMPT',
  'USER_SYSTEM_PROMPT',
  'USER_MESSAGE',
  'AGENT_MESSAGE',
  'TOOL_CALL',
  'TOOL_RESULT',
  'SYSTEM_REMINDER',
])

async function uncompacted(threads: Threads, events: readonly ThreadEvent[]): Promise<Log> {
  const drafts = events.filter(({ type }) => SAID.has(type)).map(draftOf)
  const threadId = await threads.create()
  await threads.import(threadId, drafts)
  return { threadId, events: (await threads.getAllEvents(threadId)) as ThreadEvent[] }
}

function draftOf({ type, data, timestamp, origin }: ThreadEvent): EventDraft {
  return { type, data, timestamp, ...(origin && { origin }) } as EventDraft
}

/** Thinking, images and measured usage are not in every file: without them all sessions are alike. */
function onlyText(draft: EventDraft): EventDraft {
  switch (draft.type) {
    case 'USER_MESSAGE':
      return { ...draft, data: onlyTextOf(draft.data) }
    case 'AGENT_MESSAGE': {
      const { tokenUsage: _, parts, ...answer } = draft.data
      const kept = parts?.filter(({ type }) => type === 'text' || type === 'tool_call')
      return { ...draft, data: { ...answer, ...(kept && { parts: kept }) } }
    }
    case 'TOOL_RESULT': {
      const { tokenUsage: _, content, ...result } = draft.data
      const kept = content.flatMap(({ type, text }) =>
        type === 'image' || text === undefined ? [] : [{ type: 'text' as const, text }],
      )
      return { ...draft, data: { ...result, content: kept } }
    }
    default:
      return draft
  }
}

function onlyTextOf(content: UserContent): UserContent {
  if (typeof content === 'string') return content
  const texts = content.filter(
    (part): part is Extract<Part, { type: 'text' }> => part.type === 'text',
  )
  return texts.map(({ text }) => text).join('\n')
}
