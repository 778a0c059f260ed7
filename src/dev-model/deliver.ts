// Sending an answer: at once, or piece by piece, with the faults that happen on the way.
import type { ServerResponse } from 'node:http'
import type { Clock, Signal } from '../core/ports.ts'
import { idOf } from './digest.ts'
import type { Fault } from './faults.ts'
import { sendJson, sendPiece, startStream } from './http.ts'
import type { Outcome } from './recorder.ts'
import type { Turn, WireFormat } from './wire-format.ts'

export interface Delivery {
  readonly response: ServerResponse
  readonly format: WireFormat
  readonly clock: Clock
  /** Fires when the client goes away. */
  readonly signal: Signal
  readonly pieceDelayMs: number
  /** Called before a fault ends the connection: what the client does then is no abort. */
  readonly onDrop: () => void
}

const STALL_MS = 60_000

export async function deliver(turn: Turn, delivery: Delivery): Promise<Outcome> {
  const { response, format } = delivery
  const { fault } = turn
  const requestId = idOf('req_', turn.seed)
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

/** What a fault does to a stream that has begun; undefined if the stream continues. */
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

/** Ends the connection under the answer, as a network would. */
function drop({ response, onDrop }: Delivery): Outcome {
  onDrop()
  response.destroy()
  return 'dropped'
}
