// A change of the view: which entries become which, with the inverse that undoes it.
import type { Json } from '../text/json.ts'
import type { Answer, TokenUsage, ToolResult, UserContent } from '../view/content.ts'

/** An original entry, named by the sequence number of its event. */
export type OriginalId = `e${number}`
/** An entry that a change brought in: the change's sequence number and an index. */
export type NewId = `c${number}.${number}`
/** The name of an entry; also the ref under which its content can be read again. */
export type EntryId = OriginalId | NewId

/**
 * One entry, or every entry-bearing event from the first to the last, with how many they are.
 * The count makes a gap visible: a range that has lost an entry no longer matches.
 */
export type Run = EntryId | readonly [first: OriginalId, last: OriginalId, count: number]

export type Hidden = 'thinking'

interface NewEntryOf<T extends string, D> {
  readonly type: T
  readonly data: D
  readonly label: EntryLabel
  /** The entry this one rewrites: same kind, same calls; the API shows its id and timestamp. */
  readonly of?: EntryId
  /** A provider's own compaction block; `data` is the brief for all others. */
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

/** An entry that stays. `hide` states the whole set of what is hidden; absent means as it is now. */
export interface Kept {
  readonly keep: Run
  readonly hide?: readonly Hidden[]
}
/** A place where a deletion can be undone: no tokens, never sent. `put: []` is the same as one of these. */
export interface Gap {
  readonly gap: true
}
export type Put = NewEntry | Kept | Gap

/**
 * This stretch of entries becomes these. What drops something puts something: the first new entry or gap
 * carries everything covered and not kept.
 */
export interface Edit {
  readonly covers: readonly Run[]
  readonly put: readonly Put[]
}

export interface Change {
  readonly basedOn: number // the version of the context it was made for
  readonly edits: readonly Edit[]
  readonly inverse: readonly Edit[]
  /** Answers whose thinking this change hides; entries no longer there are skipped. */
  readonly hide?: readonly Run[]
  /** Open calls that this change ends: the compact call itself. */
  readonly closes?: readonly string[]
}

/** What a person or a program did to cause a compaction. */
export type Trigger = 'command' | 'tool' | 'auto' | 'overflow' | 'background' | 'import'

/** How full the window is, and how that is known. Unknown is an absent `tokens`. */
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
  readonly usage?: TokenUsage // what the summary cost, apart from the conversation
  readonly metadata?: Json
}

/** A change that undoes, or brings back, another. */
export interface Reversal extends Change {
  readonly of: number // the COMPACTION or CONTENT_EXPANDED at the root
  readonly reverts: number // the event whose inverse this is
}
