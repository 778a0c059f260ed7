// Handles one model request from its body to the end of the answer, and records it.
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { PrecisError } from '../core/errors.ts'
import type { Signal } from '../core/model.ts'
import type { Clock } from '../core/ports.ts'
import type { Fields, Json } from '../core/text/json.ts'
import { readText } from '../validate/walk.ts'
import { lastUserTurn, textIn, type WireId } from './asked.ts'
import type { Fault } from './faults.ts'
import { sendJson, sendPiece, startStream } from './http.ts'
import { responsesBody } from './openai/responses-stream.ts'
import type { Outcome, Recording } from './recorder.ts'
import { readId } from './seal.ts'
import { countTurn, type StandIn, takeTurn } from './turn.ts'
import type { Refusal, Turn, WireFormat } from './wire-format.ts'

interface RequestRecord {
  readonly value: Fields
  readonly chars: number
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

export async function converse(
  desk: StandIn,
  kind: 'turn' | 'count',
  format: WireFormat,
  sent: RequestRecord,
  response: ServerResponse,
): Promise<void> {
  const { headers, path } = sent
  const recording = desk.recorder.start(format.id, path, desk.clock.now(), headers, sent)
  const gone = new AbortController()
  response.once('close', () => {
    if (response.writableFinished || recording.outcome === 'dropped') return
    recording.outcome = 'aborted'
    gone.abort()
  })
  try {
    const body = readBody(format.id, sent)
    const fault = kind === 'turn' ? faultFor(desk, format, body, headers) : undefined
    if (fault !== undefined) recording.fault = fault.kind
    const question = { format, path, body, chars: sent.chars, fault, recording }
    const unknown = unknownModel(desk, readText(body.model))
    const result =
      unknown ?? (kind === 'count' ? countTurn(desk, question) : await takeTurn(desk, question))
    if (typeof result === 'number') {
      sendJson(response, { status: 200, body: countBody(format.id, result) })
      finish(recording, response, 'answered')
    } else if ('kind' in result) refuse(recording, response, format, result)
    else {
      const { clock, pieceDelayMs } = desk
      const onDrop = () => {
        recording.outcome = 'dropped'
      }
      const delivery = { response, format, clock, signal: gone.signal, pieceDelayMs, onDrop }
      finish(recording, response, await deliver(result, delivery))
    }
  } catch (error) {
    recording.failure = error instanceof Error ? error.message : String(error)
    const isAsked = PrecisError.is(error)
    if (response.headersSent) response.destroy()
    else if (isAsked)
      refuse(recording, response, format, { kind: 'invalid', message: error.message })
    else refuse(recording, response, format, { kind: 'server-error' })
  }
}

function refuse(
  recording: Recording,
  response: ServerResponse,
  format: WireFormat,
  refusal: Refusal,
): void {
  sendJson(response, format.refuse(refusal))
  finish(recording, response, 'refused')
}

function finish(recording: Recording, response: ServerResponse, outcome: Outcome): void {
  if (recording.outcome === 'open') recording.outcome = outcome
  if (response.headersSent) recording.status = response.statusCode
}

/** The rules read beta headers as a field of the body, as the provider's SDK has them. */
function readBody(wire: WireId, { value, headers, path }: RequestRecord): Fields {
  if (wire === 'openai-responses') return responsesBody(value, path)
  if (wire !== 'anthropic') return value
  const betas = String(headers['anthropic-beta'] ?? '')
    .split(',')
    .map((name) => name.trim())
  return { ...value, betas: betas.filter((name) => name !== '') }
}

function faultFor(
  { faults }: StandIn,
  format: WireFormat,
  body: Fields,
  headers: IncomingHttpHeaders,
): Fault | undefined {
  const asked = format.read(body, [])
  const last = asked.turns[lastUserTurn(asked)]
  const header = headers['x-precis-fault']
  return faults.take(header === undefined ? undefined : String(header), textIn(last?.parts ?? []))
}

function unknownModel({ models }: StandIn, model: string | undefined): Refusal | undefined {
  if (models === undefined || model === undefined || models.includes(model)) return undefined
  return { kind: 'not-found', message: `model: ${model}`, code: 'model_not_found' }
}

function countBody(wire: WireId, tokens: number): Json {
  return wire === 'openai-responses'
    ? { object: 'response.input_tokens', input_tokens: tokens }
    : { input_tokens: tokens }
}

/** How an answer is sent: whole or in pieces, with faults on the way. */
interface Delivery {
  readonly response: ServerResponse
  readonly format: WireFormat
  readonly clock: Clock
  /** Fires when the client disconnects. */
  readonly signal: Signal
  readonly pieceDelayMs: number
  /** Called before a fault ends the connection, so the client's reaction is not an abort. */
  readonly onDrop: () => void
}

const STALL_MS = 60_000

async function deliver(turn: Turn, delivery: Delivery): Promise<Outcome> {
  const { response, format } = delivery
  const { fault } = turn
  const requestId = readId('req_', turn.seed)
  const headers = { 'request-id': requestId, 'x-request-id': requestId }
  const isEarly = fault?.at !== 'middle'
  if (fault?.kind === 'stall' && isEarly) await stall(fault, delivery)
  if (fault?.kind === 'drop' && (fault.at === 'start' || !turn.asked.stream)) return drop(delivery)
  if (response.destroyed) return 'aborted'
  if (!turn.asked.stream) {
    sendJson(response, { status: 200, headers, body: format.whole(turn) })
    return 'answered'
  }
  startStream(response, format.streamType, headers)
  const frames = [...format.frames(turn)]
  const middle = Math.ceil(frames.length / 2)
  for (const [index, frame] of frames.entries()) {
    if (index === middle) {
      const ended = await inTheMiddle(fault, delivery)
      if (ended !== undefined) return ended
    }
    if (delivery.pieceDelayMs > 0)
      await delivery.clock.sleep(delivery.pieceDelayMs, delivery.signal)
    if (!(await sendPiece(response, frame))) return 'aborted'
  }
  response.end()
  return 'answered'
}

/** Applies a fault to a started stream; undefined if the stream continues. */
async function inTheMiddle(
  fault: Fault | undefined,
  delivery: Delivery,
): Promise<Outcome | undefined> {
  const { format, response } = delivery
  if (fault?.kind === 'drop') return drop(delivery)
  if (fault?.at !== 'middle') return undefined
  switch (fault.kind) {
    case 'stall':
      await stall(fault, delivery)
      return response.destroyed ? 'aborted' : undefined
    case 'overloaded':
    case 'server-error':
      response.end(format.errorFrame({ kind: fault.kind }))
      return 'refused'
    case 'rate-limit':
      response.end(format.errorFrame({ kind: fault.kind, retryAfterS: fault.retryAfterS ?? 1 }))
      return 'refused'
    default:
      return undefined
  }
}

async function stall({ ms = STALL_MS }: Fault, { clock, signal }: Delivery): Promise<void> {
  await clock.sleep(ms, signal)
}

/** Ends the connection during the answer, like a network failure. */
function drop({ response, onDrop }: Delivery): Outcome {
  onDrop()
  response.destroy()
  return 'dropped'
}
