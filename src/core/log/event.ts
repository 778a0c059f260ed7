// Everything that can happen in a thread. Events are immutable; the log of a thread only grows.
import type { CompactionData, EntryId, Reversal } from '../edit/change.ts'
import { isRecord, type Json } from '../text/json.ts'
import type {
  Answer,
  ModelRef,
  TokenUsage,
  ToolCall,
  ToolResult,
  UserContent,
} from '../view/content.ts'

/** The version of the rows below; `upcast.ts` converts older rows. */
export const EVENT_VERSION = 2

/** Who wrote a message: a person, a client, a tool, a model; or why précis wrote it. */
export type Origin = 'typed' | 'client' | 'tool' | 'model' | 'continuation' | 'summary' | 'files'

interface Envelope<T extends string, D> {
  readonly v: number
  readonly id: string
  readonly threadId: string
  readonly seq: number // 1, 2, 3 … without gaps
  readonly timestamp: Date
  readonly type: T
  readonly data: D
  readonly origin?: Origin
  readonly source?: Json // the foreign record of an import
}

/** A text or entries that survive every compaction unchanged. */
export interface PinData {
  readonly pinId: string
  readonly entries?: readonly EntryId[]
  readonly text?: string
  readonly by?: 'user' | 'pattern' | 'detected'
  /** When the user said it, if the log tells: day and minute. */
  readonly saidAt?: string
  /** Found in an earlier compaction's list, marked as pinned by the agent's operator. */
  readonly wasSet?: boolean
}

export interface QueueData {
  readonly messageId: string
  readonly content?: UserContent
}

/** Settings of a thread from here on; absent ones stay as they are. */
export interface ThreadSettings {
  readonly preset?: string
  readonly strategy?: string // in place of the preset's
  readonly workspace?: string // the folder of its tools
}

export interface ThreadStarted {
  readonly from?: { readonly threadId: string; readonly seq: number }
  readonly reason?: 'fork' | 'fresh-session' | 'import' | 'task'
  readonly title?: string
  readonly owner?: string // the owner, on servers with owners
  readonly usage?: TokenUsage // cost of the summary a fresh session opens with
}

/** The data of each event type; everything else derives from this list. */
export interface EventData {
  USER_MESSAGE: UserContent
  AGENT_MESSAGE: Answer
  TOOL_CALL: ToolCall
  TOOL_APPROVAL_REQUEST: { readonly toolCallId: string }
  TOOL_APPROVAL_RESPONSE: { readonly toolCallId: string; readonly decision: string }
  TOOL_RESULT: ToolResult
  LOCAL_SYSTEM_MESSAGE: string
  SYSTEM_PROMPT: string
  USER_SYSTEM_PROMPT: string
  SYSTEM_REMINDER: string
  CHECKPOINT: { readonly id: string }
  PIN: PinData
  UNPIN: PinData
  MODEL_CHANGED: { readonly model: ModelRef; readonly thinking?: string }
  THREAD_SETTINGS: ThreadSettings
  MESSAGE_QUEUED: QueueData
  MESSAGE_WITHDRAWN: QueueData
  THREAD_STARTED: ThreadStarted
  COMPACTION: CompactionData
  COMPACTION_UNDONE: Reversal
  COMPACTION_REDONE: Reversal
  CONTENT_EXPANDED: Reversal
  COMPACTION_FAILED: {
    readonly runId: string
    readonly strategyId: string
    readonly reason: string
    readonly usage?: TokenUsage
  }
  FOREIGN: Json
}

export type EventType = keyof EventData
export type EventOf<T extends EventType> = { [K in T]: Envelope<K, EventData[K]> }[T]
export type ThreadEvent = EventOf<EventType>

/** An event without its number. */
export type NewEventOf<T extends EventType> = {
  [K in T]: Omit<Envelope<K, EventData[K]>, 'seq'>
}[T]
export type NewEvent = NewEventOf<EventType>

/** An event as its author writes it; the log adds the rest. */
export type EventDraft = {
  [T in EventType]: {
    readonly type: T
    readonly data: EventData[T]
    readonly id?: string
    readonly timestamp?: Date
    readonly origin?: Origin
    readonly source?: Json
  }
}[EventType]

/** Types that add an entry to the context. Whether an event has an entry depends only on its type. */
export type EntryType =
  | 'USER_MESSAGE'
  | 'AGENT_MESSAGE'
  | 'TOOL_RESULT'
  | 'SYSTEM_REMINDER'
  | 'CHECKPOINT'

export type ChangeType =
  | 'COMPACTION'
  | 'COMPACTION_UNDONE'
  | 'COMPACTION_REDONE'
  | 'CONTENT_EXPANDED'

const ENTRY_TYPES: ReadonlySet<string> = new Set<EntryType>([
  'USER_MESSAGE',
  'AGENT_MESSAGE',
  'TOOL_RESULT',
  'SYSTEM_REMINDER',
  'CHECKPOINT',
])
const CHANGE_TYPES: ReadonlySet<string> = new Set<ChangeType>([
  'COMPACTION',
  'COMPACTION_UNDONE',
  'COMPACTION_REDONE',
  'CONTENT_EXPANDED',
])

export function bearsEntry(event: ThreadEvent): event is EventOf<EntryType> {
  return isEntryType(event.type)
}

export function isEntryType(type: EventType): type is EntryType {
  return ENTRY_TYPES.has(type)
}

export function isChange(event: ThreadEvent): event is EventOf<ChangeType> {
  return CHANGE_TYPES.has(event.type)
}

export function isChangeType(type: string): type is ChangeType {
  return CHANGE_TYPES.has(type)
}

/** Returns an event by number: from an array in a replay, from loaded rows in a running thread. */
export type EventAt = (seq: number) => ThreadEvent | undefined

export function asReminder(data: string): EventDraft {
  return { type: 'SYSTEM_REMINDER', data }
}

/** Ends a call that will never be answered. */
export function abortedResult(call: string): EventDraft {
  return {
    type: 'TOOL_RESULT',
    data: {
      id: call,
      content: [{ type: 'text', text: 'The call was interrupted.' }],
      status: 'aborted',
    },
  }
}

/** The result of a `compact` call whose compaction was undone, so the call is visible again. */
export const UNDONE_COMPACT =
  'This call compacted the thread. That compaction was undone since: everything it replaced is in view again.'

/** Ends such a call if it comes back open. */
export function undoneResult(call: string): EventDraft {
  const content = [{ type: 'text' as const, text: UNDONE_COMPACT }]
  return { type: 'TOOL_RESULT', data: { id: call, content, status: 'completed' } }
}

/** Replaces an unreadable row: keeps its place in the log and has no effect on the context. */
export interface Undecodable {
  readonly undecodable: Json
  readonly error: { readonly message: string; readonly where: string }
}

/** The raw row and the reason, if an event replaces an unreadable row. */
export function undecodableOf(event: ThreadEvent): Undecodable | undefined {
  if (event.type !== 'FOREIGN' || !isRecord(event.data)) return undefined
  const { undecodable, error } = event.data
  if (undecodable === undefined || !isRecord(error)) return undefined
  const { message, where } = error
  if (typeof message !== 'string' || typeof where !== 'string') return undefined
  return { undecodable: undecodable as Json, error: { message, where } }
}
