// A change of the view: which entries become which, with its inverse.
import type { Json } from '../text/json.ts'
import type { Answer, TokenUsage, ToolResult, UserContent } from '../view/content.ts'

/** An original entry, named by its event's number. */
export type OriginalId = `e${number}`
/** An entry added by a change: the change's number and an index. */
export type NewId = `c${number}.${number}`
/** The id of an entry, which is also the ref to read its content. */
export type EntryId = OriginalId | NewId

/**
 * One entry, or all entries from the first to the last with their count. The count reveals gaps: a range that
 * lost an entry no longer matches.
 */
export type Run = EntryId | readonly [first: OriginalId, last: OriginalId, count: number]

export type Hidden = 'thinking'

interface NewEntryOf<T extends string, D> {
  readonly type: T
  readonly data: D
  readonly label: EntryLabel
  /** The entry this one rewrites: same kind, same calls; the API shows its id and timestamp. */
  readonly of?: EntryId
  /** A provider's own compaction block; `data` is the brief for other providers. */
  readonly native?: { readonly provider: string; readonly value: Json }
}
export type EntryLabel =
  | 'summary'
  | 'files'
  | 'continuation'
  | 'brief'
  | 'trimmed'
  | 'masked'
  | 'repaired'
  | 'closed'
  | 'recalled'
  | 'pins'
  | 'carried'
export type NewEntry =
  | NewEntryOf<'USER_MESSAGE', UserContent>
  | NewEntryOf<'AGENT_MESSAGE', Answer>
  | NewEntryOf<'TOOL_RESULT', ToolResult>
  | NewEntryOf<'SYSTEM_REMINDER', string>

/** An entry that stays. `hide` lists everything hidden; absent keeps the current state. */
export interface Kept {
  readonly keep: Run
  readonly hide?: readonly Hidden[]
}
/** A place where a deletion can be undone: no tokens, never sent. `put: []` means one gap. */
export interface Gap {
  readonly gap: true
}
export type Put = NewEntry | Kept | Gap

/**
 * Replaces this stretch of entries. Every deletion leaves something: the first new entry or gap stands for
 * everything covered and not kept.
 */
export interface Edit {
  readonly covers: readonly Run[]
  readonly put: readonly Put[]
}

export interface Change {
  readonly basedOn: number // context version it was made for
  readonly edits: readonly Edit[]
  readonly inverse: readonly Edit[]
  /** Answers whose thinking this change hides; missing entries are skipped. */
  readonly hide?: readonly Run[]
  /** Open calls this change ends, such as the compact call. */
  readonly closes?: readonly string[]
}

/** What caused a compaction. */
export type Trigger = 'command' | 'tool' | 'auto' | 'overflow' | 'background' | 'import'

/** How full the window is, and the source of the figure. `tokens` is absent if unknown. */
export interface Reading {
  readonly tokens?: number
  readonly by?: 'measured' | 'estimated'
}

export interface CompactionData extends Change {
  readonly runId: string
  readonly strategyId: string
  readonly trigger: Trigger
  readonly originalEventCount: number
  readonly compactedEventCount: number
  readonly before?: Reading
  readonly after?: Reading
  readonly usage?: TokenUsage // cost of the summary, separate from the conversation
  readonly metadata?: Json
}

/** A change that undoes or redoes another. */
export interface Reversal extends Change {
  readonly of: number // the COMPACTION or CONTENT_EXPANDED at the root
  readonly reverts: number // the event it reverts
}
