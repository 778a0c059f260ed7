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
    end: z.enum(['committed', 'refused', 'vetoed', 'aborted', 'failed']),
    durationMs: z.number(),
    event: rowSchema.exactOptional(),
    fresh: z.object({ threadId: z.string(), summary: z.string() }).exactOptional(),
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

export const previewSchema = z
  .object({
    previewId: z.string(),
    strategy: z.string(),
    basedOn: count,
    before: reading,
    after: reading,
    report: z.string(),
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
})
export const compactionDiffSchema = z
  .object({
    compaction: count,
    before: z.array(diffEntry),
    after: z.array(diffEntry),
    unified: z.string(),
  })
  .meta({ id: 'CompactionDiff' })

export const reportSchema = z.object({ text: z.string() }).meta({ id: 'CompactionReport' })
