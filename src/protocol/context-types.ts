// What interfaces read of a context: its entries, its size over time, what compactions did, what it cost
import type { Reading } from '../core/edit/change.ts'

export interface ContextFigures {
  readonly tokens?: number // unknown is absent
  readonly limit?: number
  readonly percent?: number
  readonly by?: Exclude<Reading['by'], undefined>
}

export interface ContextCategory {
  readonly name: string // system, tools, user, assistant, tool results, thinking, images, summaries, free
  readonly tokens: number
}
export interface ContextPicture {
  readonly categories: readonly ContextCategory[]
  readonly context: ContextFigures
  readonly largest: readonly {
    readonly ref: string
    readonly what: string
    readonly tokens: number
  }[]
}

/** One thing that the model sees. */
export interface ContextEntry {
  readonly ref: string
  readonly role: string // system, user, answer, result, reminder, checkpoint
  readonly label?: string // of what a change put there: summary, trimmed, …
  readonly text: string // its beginning; the whole can be read by its ref
  readonly tokens: number
  /** How many original entries it stands for: itself, or those whose place it has taken. */
  readonly covers: number
  readonly first?: string // of a replacement: the first original that it stands for
}

/** Where an original entry is now. Without `by` and `place`, nothing stands for it. */
export interface EntryPlace {
  readonly ref: string
  readonly tokens: number
  readonly place?: number // in the context, 0 is the first
  readonly by?: string // the ref of what stands in its place
  readonly label?: string // what that is: summary, trimmed, …
  readonly together?: number // so many entries, this one included, come back with it
}
export interface ContextPage {
  readonly items: readonly ContextEntry[]
  readonly total: number // of all entries
}

/** How large the context was after one event. */
export interface TimelinePoint {
  readonly seq: number
  readonly tokens: number
  readonly by: Exclude<Reading['by'], undefined>
  /** Where it was a compaction, with the size of the context around it. */
  readonly compaction?: {
    readonly strategy: string
    readonly before?: number
    readonly after?: number
  }
  /** Where it undid or repeated a compaction: the number of that one. */
  readonly undone?: number
  readonly redone?: number
  readonly costUsd?: number // of everything so far
}

/** What one model was asked for, and what it cost. */
export interface ModelCost {
  readonly model: string
  readonly requests: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  readonly costUsd?: number // absent: it has no known price
}

/** The view before and after one compaction. */
export interface ViewDiff {
  readonly compaction: number // its sequence number
  readonly before: readonly DiffEntry[]
  readonly after: readonly DiffEntry[]
  /** Which entries became which, by their refs, in the order of the context. */
  readonly changes: readonly {
    readonly removed: readonly string[]
    readonly added: readonly string[]
  }[]
  readonly unified: string // the same as a unified diff of the rendered texts
}
export interface DiffEntry {
  readonly ref: string
  readonly role: string
  readonly text: string
  readonly tokens: number
  readonly state: 'kept' | 'removed' | 'added'
  readonly why?: string // it was removed
}

/** What a compaction does, in the tokens of the window's own figures. */
export interface ReportFigures {
  readonly strategy: string
  readonly trigger: string
  readonly before?: number
  readonly after?: number
  readonly categories: readonly {
    readonly name: string
    readonly before: number
    readonly after: number
  }[]
  readonly drops: readonly {
    readonly why: string
    readonly entries: number
    readonly tokens: number
  }[]
  readonly largest: readonly {
    readonly ref: string
    readonly what: string
    readonly why: string
    readonly before: number
    readonly after: number
  }[]
  readonly pins: { readonly kept: number; readonly added: number }
  readonly refs: number // by which what was removed can be read again
  readonly fallback?: { readonly from: string; readonly reason: string }
}
