// Frames, results and errors on the wire: JSON with ISO times, and back.
import type { z } from 'zod'
import type { AgentFrame, RunResult } from '../core/agent/frame.ts'
import type { CompactionReport } from '../core/edit/report.ts'
import { ERROR_TABLE } from '../core/error-table.ts'
import { asPrecisError, type ErrorCode, PrecisError } from '../core/errors.ts'
import { readEvent, writeEvent } from '../core/log/codec.ts'
import type { EventOf } from '../core/log/event.ts'
import { isRecord } from '../core/text/json.ts'
import type { compactionResultSchema } from './compaction-schemas.ts'
import type { problemSchema, wireErrorSchema } from './schemas.ts'

type WireResult = z.output<typeof compactionResultSchema>

/** LOG-77: the shape of every frame; `data` holds what its type adds. */
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

/** Undefined for anything else, including frames of a newer server that this client cannot read. */
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

/** LOG-78: a failed run saved nothing; uncounted figures stay unknown. */
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

/** Errors on the wire: problem details in answers, a short form in frames, and back. */
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

/** A newer server may use codes that this client does not know. */
function knownCode(code: string): ErrorCode {
  return Object.hasOwn(ERROR_TABLE, code) ? (code as ErrorCode) : 'internal'
}
