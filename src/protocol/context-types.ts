// What interfaces read of a context: its entries, its size over time, what compactions did, what it cost
// Schemas for compactions: result, preview, report
import { z } from 'zod'
import type { Reading } from '../core/edit/change.ts'
import { count, measure, rowSchema, wireErrorSchema } from './schemas.ts'

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

const reading = z.object({ tokens: z.number().exactOptional(), by: measure.exactOptional() })

export const compactionResultSchema = z
  .object({
    runId: z.string(),
    trigger: z.enum(['command', 'tool', 'auto', 'overflow', 'background', 'import']),
    strategy: z.string(),
    success: z.boolean(),
    end: z.enum(['committed', 'nothing', 'refused', 'vetoed', 'aborted', 'failed']),
    durationMs: z.number(),
    event: rowSchema.exactOptional(),
    fresh: z
      .object({
        threadId: z.string(),
        summary: z.string(),
        replacedFor: z.string().exactOptional(),
      })
      .exactOptional(),
    error: wireErrorSchema.exactOptional(),
    before: reading.exactOptional(),
    after: reading.exactOptional(),
    tokensSaved: z.number().nonnegative().exactOptional(),
    usage: z
      .object({
        promptTokens: z.number(),
        completionTokens: z.number(),
        totalTokens: z.number(),
        cacheReadTokens: z.number().exactOptional(),
        cacheWriteTokens: z.number().exactOptional(),
        model: z.templateLiteral([z.string(), '/', z.string()]).exactOptional(),
      })
      .exactOptional(),
    costUsd: z.number().exactOptional(),
    report: z.looseObject({}).exactOptional(),
  })
  .meta({ id: 'CompactionResult' })

const outcomeFields = {
  command: z.string(),
  ok: z.boolean(),
  text: z.string(),
  threadId: z.string().exactOptional(),
  compaction: compactionResultSchema.exactOptional(),
  returned: z.string().exactOptional(),
}
export const commandOutcomeSchema = z.object(outcomeFields).meta({ id: 'CommandOutcome' })

export const sendReplySchema = z
  .discriminatedUnion('status', [
    z.object({ status: z.literal('started'), threadId: z.string().exactOptional() }),
    z.object({ status: z.literal('queued'), messageId: z.string() }),
    z.object({ status: z.literal('command'), ...outcomeFields }),
  ])
  .meta({ id: 'SendReply' })

const figuresSchema = z
  .object({
    strategy: z.string(),
    trigger: z.string(),
    before: z.number().exactOptional(),
    after: z.number().exactOptional(),
    categories: z.array(z.object({ name: z.string(), before: z.number(), after: z.number() })),
    drops: z.array(z.object({ why: z.string(), entries: count, tokens: z.number() })),
    largest: z.array(
      z.object({
        ref: z.string(),
        what: z.string(),
        why: z.string(),
        before: z.number(),
        after: z.number(),
      }),
    ),
    pins: z.object({ kept: count, added: count }),
    refs: count,
    fallback: z.object({ from: z.string(), reason: z.string() }).exactOptional(),
  })
  .meta({ id: 'CompactionFigures' })

export const previewSchema = z
  .object({
    previewId: z.string(),
    strategy: z.string(),
    basedOn: count,
    before: reading,
    after: reading,
    report: z.string(),
    figures: figuresSchema.exactOptional(),
    texts: z.array(
      z.object({
        key: z.string(),
        label: z.string(),
        text: z.string(),
        isEditable: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'Preview' })

const diffEntry = z.object({
  ref: z.string(),
  role: z.string(),
  text: z.string(),
  tokens: z.number(),
  state: z.enum(['kept', 'removed', 'added']),
  why: z.string().exactOptional(),
})
export const compactionDiffSchema = z
  .object({
    compaction: count,
    before: z.array(diffEntry),
    after: z.array(diffEntry),
    changes: z.array(z.object({ removed: z.array(z.string()), added: z.array(z.string()) })),
    unified: z.string(),
  })
  .meta({ id: 'CompactionDiff' })

export const reportSchema = z
  .object({ text: z.string(), figures: figuresSchema })
  .meta({ id: 'CompactionReport' })
