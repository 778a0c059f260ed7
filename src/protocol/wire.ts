// Frames, results and errors on the wire: JSON with ISO times, and back.
// Schemas of the stream: stored events, and each frame that passes by, under the name of its type.
import { z } from 'zod'
import type { AgentFrame, RunResult } from '../core/agent/frame.ts'
import type { CompactionReport } from '../core/edit/report.ts'
import { ERROR_TABLE } from '../core/error-table.ts'
import { asPrecisError, type ErrorCode, PrecisError } from '../core/errors.ts'
import { readEvent, writeEvent } from '../core/log/codec.ts'
import type { EventOf } from '../core/log/event.ts'
import { isRecord } from '../core/text/json.ts'
import { compactionResultSchema } from './context-types.ts'
import {
  approvalSchema,
  count,
  measure,
  type problemSchema,
  rowSchema,
  wireErrorSchema,
} from './schemas.ts'

type WireResult = z.output<typeof compactionResultSchema>

/** LOG-77: every frame has this shape, and `data` is all that its type adds. */
export interface WireFrame {
  readonly type: string
  readonly threadId: string
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

export function toWireFrame(frame: AgentFrame): WireFrame {
  const { type, threadId, timestamp, ...data } = frame
  const wire = (fields: object): WireFrame => ({
    type,
    threadId,
    timestamp: timestamp.toISOString(),
    data: { ...fields },
  })
  if (frame.type === 'COMPACTION_COMPLETE') return wire(completeData(data as RunResult))
  if ('error' in frame && frame.error) return wire({ ...data, error: toWireError(frame.error) })
  return wire(data)
}

/** Undefined for what is no frame, or one that a newer server has and this client cannot read. */
export function fromWireFrame(value: unknown): AgentFrame | undefined {
  if (!isRecord(value) || !isRecord(value.data)) return undefined
  const { type, threadId, timestamp, data } = value
  if (typeof type !== 'string' || typeof threadId !== 'string' || typeof timestamp !== 'string')
    return undefined
  const at = new Date(timestamp)
  if (Number.isNaN(at.getTime())) return undefined
  const fields =
    type === 'COMPACTION_COMPLETE'
      ? fromWireResult(data as unknown as WireResult)
      : isRecord(data.error)
        ? { ...data, error: fromWireError(data.error as unknown as WireError) }
        : data
  return { ...fields, type, threadId, timestamp: at } as unknown as AgentFrame
}

/** LOG-78: what came to nothing has saved nothing; what nobody counted stays unknown. */
function completeData(result: RunResult): WireResult {
  const wire = toWireResult(result)
  return result.success ? wire : { ...wire, tokensSaved: 0 }
}

export function toWireResult(result: RunResult): WireResult {
  const { event, error, report, ...rest } = result
  return {
    ...rest,
    ...(event && { event: { ...writeEvent(event) } }),
    ...(error && { error: toWireError(error) }),
    ...(report && { report: { ...report } }),
  }
}

export function fromWireResult(wire: WireResult): RunResult {
  const { event, error, report, ...rest } = wire
  return {
    ...rest,
    ...(event && { event: compactionIn(event) }),
    ...(error && { error: fromWireError(error) }),
    ...(report && { report: report as unknown as CompactionReport }),
  }
}

function compactionIn(row: unknown): EventOf<'COMPACTION'> {
  const read = readEvent(row)
  if (!read.ok) throw read.error
  if (read.event.type === 'COMPACTION') return read.event
  throw new PrecisError('internal', `Expected a COMPACTION event, got ${read.event.type}.`)
}

/** Errors on the wire: problem details in answers, a short form in frames, and back */
type WireError = z.output<typeof wireErrorSchema>
type Problem = z.output<typeof problemSchema>

export function toWireError(thrown: unknown): WireError {
  const error = asPrecisError(thrown)
  const { code, message, where, hint, retryable, details } = error
  return {
    code,
    message,
    ...(where !== undefined && { where }),
    ...(hint !== undefined && { hint }),
    ...(typeof details.reason === 'string' && { reason: details.reason }),
    ...(retryable && { retryable }),
  }
}

export function fromWireError(error: WireError): PrecisError {
  const { code, message, where, hint, reason, retryable } = error
  return new PrecisError(knownCode(code), message, {
    ...(where !== undefined && { where }),
    ...(hint !== undefined && { hint }),
    ...(reason !== undefined && { details: { reason } }),
    ...(retryable !== undefined && { retryable }),
  })
}

export function toProblem(thrown: unknown): Problem {
  const { message: detail, ...error } = toWireError(thrown)
  const status = ERROR_TABLE[asPrecisError(thrown).code].status
  const title = error.code.replaceAll('-', ' ')
  return { type: `urn:precis:error:${error.code}`, title, status, detail, ...error }
}

export function fromProblem({
  detail,
  code,
  where,
  hint,
  reason,
  retryable,
}: Problem): PrecisError {
  return fromWireError({
    code,
    message: detail,
    ...(where !== undefined && { where }),
    ...(hint !== undefined && { hint }),
    ...(reason !== undefined && { reason }),
    ...(retryable !== undefined && { retryable }),
  })
}

/** A newer server may have codes that this client does not know. */
function knownCode(code: string): ErrorCode {
  return Object.hasOwn(ERROR_TABLE, code) ? (code as ErrorCode) : 'internal'
}

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

/** All that the type of a frame adds, field by field: its `data`. */
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

/** LOG-77: every frame has this shape. */
export const frameSchema = z
  .union(frames as unknown as readonly [z.ZodObject, z.ZodObject])
  .meta({ id: 'Frame' })

/** The data of one message of the stream, as JSON: `event: event`, or the type of the frame. */
export const streamDataSchema = z.union([rowSchema, frameSchema]).meta({ id: 'StreamData' })
