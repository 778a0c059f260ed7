// Schemas of the stream: stored events, and each frame that passes by, under the name of its type.
import { z } from 'zod'
import type { AgentFrame } from '../core/agent/frame.ts'
import { compactionResultSchema } from './compaction-schemas.ts'
import { approvalSchema, count, measure, rowSchema, wireErrorSchema } from './schemas.ts'

const text = z.string()

const callId = text

const run = { runId: text, trigger: compactionResultSchema.shape.trigger, strategy: text }

type FieldOf<T> = AgentFrame extends infer F
  ? F extends AgentFrame
    ? T extends F['type']
      ? Exclude<keyof F, 'type' | 'threadId' | 'timestamp'>
      : never
    : never
  : never

/** The fields that each frame type adds: its `data`. */
const DATA = {
  'turn-start': z.object({}),
  'turn-end': z.object({
    end: z.enum(['done', 'waiting', 'aborted', 'failed', 'step-limit']),
    error: wireErrorSchema.exactOptional(),
  }),
  'text-delta': z.object({ text }),
  'thinking-delta': z.object({ text }),
  'answer-restart': z.object({ reason: text }),
  'model-retry': z.object({
    attempt: count,
    attempts: count,
    reason: text,
    waitMs: z.number().nonnegative(),
  }),
  'answer-end': z.object({ seq: count }),
  'tool-start': z.object({ callId, name: text, subject: text }),
  'tool-progress': z.object({ callId, text }),
  'tool-end': z.object({
    callId,
    name: text,
    status: z.enum(['completed', 'failed', 'aborted', 'denied']),
  }),
  'approval-request': approvalSchema,
  'message-queued': z.object({ messageId: text }),
  'message-delivered': z.object({ messageId: text }),
  'messages-returned': z.object({ messages: z.array(z.unknown()) }),
  reading: z.object({
    reading: z.object({ tokens: z.number().exactOptional(), by: measure.exactOptional() }),
    windowTokens: z.number().exactOptional(),
  }),
  notice: z.object({ level: z.enum(['info', 'warning']), message: text }),
  agent_thinking_start: z.object({ message: text }),
  agent_thinking_complete: z.object({}),
  error: z.object({
    error: wireErrorSchema,
    context: z.object({ operation: text, threadId: text }),
  }),
  COMPACTION_START: z.object({ ...run, message: text }),
  COMPACTION_PROGRESS: z.object({
    ...run,
    message: text,
    share: z.number().exactOptional(),
    done: count.exactOptional(),
    total: count.exactOptional(),
    nextPrompt: text.exactOptional(),
  }),
  COMPACTION_COMPLETE: compactionResultSchema,
} satisfies { readonly [T in AgentFrame['type']]: z.ZodObject<Record<FieldOf<T>, z.ZodType>> }

const frames = Object.entries(DATA).map(([type, data]) =>
  z
    .object({ type: z.literal(type), threadId: text, timestamp: z.iso.datetime(), data })
    .meta({ id: `Frame.${type}` }),
)

/** LOG-77: the shape of every frame. */
export const frameSchema = z
  .union(frames as unknown as readonly [z.ZodObject, z.ZodObject])
  .meta({ id: 'Frame' })

/** The data of one stream message as JSON: `event: event`, or the type of the frame. */
export const streamDataSchema = z.union([rowSchema, frameSchema]).meta({ id: 'StreamData' })
