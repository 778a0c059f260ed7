// Schemas for compactions: result, preview, report
import { z } from 'zod'
import { count, measure, rowSchema, wireErrorSchema } from './schemas.ts'

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
