// Schemas of the protocol. The client parses with them, and the server generates its description from them.
import { z } from 'zod'

export const count = z.number().int().nonnegative()
const time = z.iso.datetime().describe('ISO 8601')

/** RFC 9457 with the extra fields of a PrecisError. */
export const problemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    code: z.string().describe('to branch on: invalid-input, unknown-thread, …'),
    where: z.string().exactOptional(),
    hint: z.string().exactOptional().describe('the suggested next step'),
    reason: z.string().exactOptional().describe('why a compaction was refused: stale, …'),
    retryable: z.boolean().exactOptional(),
  })
  .meta({ id: 'Problem' })

/** An error inside a frame or a result. */
export const wireErrorSchema = z
  .object({
    code: z.string(),
    message: z.string(),
    where: z.string().exactOptional(),
    hint: z.string().exactOptional(),
    reason: z.string().exactOptional(),
    retryable: z.boolean().exactOptional(),
  })
  .meta({ id: 'Error' })

export const helloSchema = z
  .object({
    protocol: z.number().int().positive(),
    version: z.string(),
    defaultModel: z.string().exactOptional(),
    presets: z.array(z.string()),
    strategies: z.array(z.string()),
    formats: z.object({ read: z.array(z.string()), written: z.array(z.string()) }),
    hasSessions: z.literal(true).exactOptional(),
  })
  .meta({ id: 'Hello' })

export const statusSchema = z
  .object({
    status: z.enum(['ok', 'ready']),
    /** `silent`: the database does not answer. */
    store: z.enum(['ok', 'silent']).optional(),
  })
  .meta({ id: 'Status' })

const origin = z.object({ threadId: z.string(), seq: count })
export const threadSummarySchema = z
  .object({
    threadId: z.string(),
    title: z.string(),
    version: count,
    createdAt: time,
    updatedAt: time,
    parent: origin.exactOptional(),
    reason: z.string().exactOptional(),
    isPartial: z.literal(true).exactOptional(),
    importedAt: time.exactOptional(),
  })
  .meta({ id: 'ThreadSummary' })

export const threadPageSchema = z
  .object({ items: z.array(threadSummarySchema), next: z.string().exactOptional() })
  .meta({ id: 'ThreadPage' })

/** LOG-74 */
const tokenUsageSchema = z
  .object({
    totalPromptTokens: count,
    totalCompletionTokens: count,
    totalTokens: count,
    percentUsed: z.number().nonnegative(),
    nearLimit: z.boolean(),
  })
  .meta({ id: 'TokenUsageFigures' })

export const measure = z.enum(['measured', 'estimated'])
const contextFiguresSchema = z
  .object({
    tokens: count.exactOptional(),
    limit: count.exactOptional(),
    percent: z.number().nonnegative().exactOptional(),
    by: measure.exactOptional(),
  })
  .meta({ id: 'ContextFigures' })

const billedSchema = z
  .object({
    promptTokens: z.number().nonnegative(),
    completionTokens: z.number().nonnegative(),
    totalTokens: z.number().nonnegative(),
    cacheReadTokens: z.number().nonnegative().exactOptional(),
    cacheWriteTokens: z.number().nonnegative().exactOptional(),
    eventCount: count,
  })
  .meta({ id: 'Billed' })

const text = z.string()
export const approvalSchema = z
  .object({ callId: text, name: text, subject: text, reason: text, diff: text.exactOptional() })
  .meta({ id: 'Approval' })

/** LOG-74: the session and its figures. */
export const sessionResponseSchema = z
  .object({
    session: z.object({
      ...threadSummarySchema.shape,
      model: z.string().exactOptional(),
      thinking: z.string(),
      preset: z.string(),
      strategy: z.string().exactOptional(),
      workspace: z.string().exactOptional(),
      isWorking: z.boolean(),
      isCompacting: z.boolean(),
      canUndo: z.boolean().describe('there is a compaction to undo'),
      undoes: z.string().exactOptional().describe('what undo takes back, in words'),
      canRedo: z.boolean().describe('there is an undone compaction to redo'),
      queued: count,
      billed: billedSchema,
      costUsd: z.number().nonnegative().exactOptional(),
      isCounting: z
        .boolean()
        .exactOptional()
        .describe('cost and sums of a long log are still being counted: ask again'),
      file: z
        .object({ agent: z.string(), state: z.enum(['followed', 'parted']) })
        .exactOptional()
        .describe(
          'the session file of the thread: followed, or not the same conversation any more',
        ),
      approvals: z.array(approvalSchema),
    }),
    tokenUsage: tokenUsageSchema.exactOptional(),
    context: contextFiguresSchema,
  })
  .meta({ id: 'SessionResponse' })

/** A stored row, unchecked; `readRow` of the core turns it into an event. */
export const rowSchema = z
  .looseObject({
    v: z.number().int(),
    id: z.string(),
    threadId: z.string(),
    seq: z.number().int(),
    timestamp: z.string(),
    type: z.string(),
    data: z.unknown(),
  })
  .meta({ id: 'EventRow' })
export const eventsSchema = z.object({ items: z.array(rowSchema) }).meta({ id: 'EventPage' })

export const contextPictureSchema = z
  .object({
    categories: z.array(z.object({ name: z.string(), tokens: z.number() })),
    context: contextFiguresSchema,
    largest: z.array(z.object({ ref: z.string(), what: z.string(), tokens: z.number() })),
  })
  .meta({ id: 'ContextPicture' })

export const contextEntriesSchema = z
  .object({
    items: z.array(
      z
        .object({
          ref: z.string(),
          role: z.string(),
          label: z.string().exactOptional(),
          text: z.string(),
          tokens: z.number(),
          covers: count,
          first: z.string().exactOptional(),
        })
        .meta({ id: 'ContextEntry' }),
    ),
    total: count,
  })
  .meta({ id: 'ContextPage' })

export const entryPlacesSchema = z
  .object({
    items: z.array(
      z.object({
        ref: z.string(),
        tokens: count,
        place: count.exactOptional().describe('in the context, from 0'),
        by: z.string().exactOptional().describe('the ref of what stands in its place'),
        label: z.string().exactOptional(),
        together: count.exactOptional().describe('so many entries come back with this one'),
      }),
    ),
  })
  .meta({ id: 'EntryPlaces' })

export const costSchema = z
  .object({
    items: z.array(
      z.object({
        model: z.string(),
        requests: count,
        promptTokens: z.number().nonnegative(),
        completionTokens: z.number().nonnegative(),
        cacheReadTokens: z.number().nonnegative(),
        cacheWriteTokens: z.number().nonnegative(),
        costUsd: z.number().nonnegative().exactOptional(),
      }),
    ),
  })
  .meta({ id: 'ThreadCost' })

export const timelineSchema = z
  .object({
    items: z.array(
      z.object({
        seq: count,
        tokens: z.number().nonnegative(),
        by: measure,
        compaction: z
          .object({
            strategy: z.string(),
            before: z.number().nonnegative().exactOptional(),
            after: z.number().nonnegative().exactOptional(),
          })
          .exactOptional(),
        undone: count.exactOptional().describe('the number of the compaction that was undone'),
        redone: count.exactOptional(),
        costUsd: z.number().nonnegative().exactOptional().describe('of everything so far'),
      }),
    ),
  })
  .meta({ id: 'Timeline' })

export const pinSchema = z
  .object({ pinId: z.string(), text: z.string(), by: z.string() })
  .meta({ id: 'Pin' })
export const pinsSchema = z.object({ items: z.array(pinSchema) })

export const recalledSchema = z
  .object({
    text: z.string(),
    hits: z.array(
      z.object({ ref: z.string(), speaker: z.string(), timestamp: time, text: z.string() }),
    ),
    next: count.exactOptional().describe('the offset of the rest, in characters'),
  })
  .meta({ id: 'Recalled' })

export const modelsSchema = z.object({
  items: z.array(
    z
      .object({
        ref: z.string(),
        windowTokens: z.number().exactOptional(),
        isConfigured: z.boolean(),
      })
      .meta({ id: 'Model' }),
  ),
})

export const strategiesSchema = z.object({ items: z.array(z.object({ id: z.string() })) })

export const settingsSchema = z.object({
  items: z.array(
    z.object({ key: z.string(), value: z.unknown(), origin: z.string() }).meta({ id: 'Setting' }),
  ),
})

export const machineSessionsSchema = z
  .object({
    items: z.array(
      z
        .object({
          id: z.string(),
          agent: z.string(),
          project: z.string().exactOptional(),
          title: z.string().exactOptional(),
          bytes: count,
          updatedAt: time,
          threadId: z.string().exactOptional().describe('where it was imported before'),
        })
        .meta({ id: 'MachineSession' }),
    ),
    total: count.describe('sessions that match, listed or not'),
    isPartial: z
      .literal(true)
      .exactOptional()
      .describe('not all sessions were looked at in time: the next request goes on'),
  })
  .meta({ id: 'MachineSessions' })

export const filesSchema = z.object({ items: z.array(z.string()) })
