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

/** One entry of the context. */
export interface ContextEntry {
  readonly ref: string
  readonly role: string // system, user, answer, result, reminder, checkpoint
  readonly label?: string // for an entry that a change added: summary, trimmed, …
  readonly text: string // its beginning; read the whole by its ref
  readonly tokens: number
  /** How many original entries it stands for: 1, or all those it replaced. */
  readonly covers: number
  readonly first?: string // of a replacement: the first original it stands for
}

/** Where an original entry is now. Without `by` and `place` it is gone and nothing stands for it. */
export interface EntryPlace {
  readonly ref: string
  readonly tokens: number
  readonly place?: number // index in the context
  readonly by?: string // the ref of its replacement
  readonly label?: string // the label of the replacement: summary, trimmed, …
  readonly together?: number // how many entries come back together, this one included
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
  /** Set if the event is a compaction: the size of the context around it. */
  readonly compaction?: {
    readonly strategy: string
    readonly before?: number
    readonly after?: number
  }
  /** Set if the event undid or redid a compaction: that one's number. */
  readonly undone?: number
  readonly redone?: number
  readonly costUsd?: number // total so far
}

/** Usage and cost of one model. */
export interface ModelCost {
  readonly model: string
  readonly requests: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  readonly costUsd?: number // absent: no known price
}

/** The view before and after one compaction. */
export interface ViewDiff {
  readonly compaction: number // its sequence number
  readonly before: readonly DiffEntry[]
  readonly after: readonly DiffEntry[]
  /** Which entries became which, by ref, in context order. */
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
  readonly why?: string // why it was removed
}

/** The effect of a compaction, in the token base of the window's figures. */
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
  readonly refs: number // refs that recall removed entries
  readonly fallback?: { readonly from: string; readonly reason: string }
}
