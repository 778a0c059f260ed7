// Follows a thread over HTTP: missed events first, then live ones, across reconnects
import { ERROR_TABLE } from '../core/error-table.ts'
import { PrecisError } from '../core/errors.ts'
import { readRow } from '../core/log/codec.ts'
import type { StreamItem } from './client.ts'
import { callRaw, type Transport } from './http-requests.ts'
import { readSse, type ServerSentEvent } from './sse.ts'
import { fromWireFrame } from './wire.ts'

const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 10_000
/** Subscribers that lost their connection together spread their return, so they do not hold up others. */
const SPREAD_MS = 1_000
/** Attempts in a row: an hour of them. */
const MOST_FAILURES = 360
/** The server's heartbeat is more frequent. After this long without data the connection is closed. */
const SILENCE_MS = 60_000

/** The stream name of stored events; frames use their own types. */
export const STORED = 'event'

export async function* followStream(
  transport: Transport,
  threadId: string,
  afterSeq: number,
  signal: AbortSignal,
  onConnected?: () => void,
): AsyncGenerator<StreamItem> {
  let seq = afterSeq
  let delayMs = FIRST_DELAY_MS
  let isFirst = true
  let failures = 0 // in a row
  const { random = Math.random } = transport
  while (!signal.aborted) {
    const pauseMs = () => Math.round(delayMs + random() * SPREAD_MS)
    let waitMs: number | undefined
    try {
      const heard = () => {
        failures = 0
      }
      for await (const event of connect(transport, threadId, seq, signal, heard)) {
        if (event === CONNECTED) {
          if (!isFirst) yield { kind: 'reconnected' }
          isFirst = false
          onConnected?.()
          continue
        }
        delayMs = FIRST_DELAY_MS
        const item = readItem(event)
        if (item?.kind === 'event') {
          if (item.event.seq <= seq) continue // seen before the connection was lost
          if (item.event.seq !== seq + 1) throw new Gap()
          seq = item.event.seq
        }
        if (item) yield item
      }
    } catch (thrown) {
      if (signal.aborted) return
      if (isFinal(thrown)) throw thrown
      if (!(thrown instanceof Gap)) {
        failures += 1
        const error = lostBy(thrown)
        if (failures >= MOST_FAILURES) throw error
        isFirst = false
        waitMs = pauseMs()
        yield { kind: 'waiting', error, failures, delayMs: waitMs }
      }
    }
    await transport.sleep(waitMs ?? pauseMs(), signal)
    delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS)
  }
}

function lostBy(thrown: unknown): PrecisError {
  if (PrecisError.is(thrown)) return thrown
  const message = 'The connection was lost.'
  return new PrecisError('unreachable', message, { retryable: true, cause: thrown })
}

/** An event is missing: ask again for what follows it. */
class Gap extends Error {}

const CONNECTED = Symbol('connected')

async function* connect(
  transport: Transport,
  threadId: string,
  afterSeq: number,
  signal: AbortSignal,
  onHeard: () => void,
): AsyncGenerator<ServerSentEvent | typeof CONNECTED> {
  const own = new AbortController()
  const both = AbortSignal.any([signal, own.signal])
  const watch = new Silence(transport, own)
  try {
    const response = await callRaw(transport, {
      path: `/threads/${encodeURIComponent(threadId)}/stream`,
      headers: { accept: 'text/event-stream', 'last-event-id': String(afterSeq) },
      signal: both,
    })
    if (!response.body) throw new PrecisError('unreachable', 'The stream is empty.')
    yield CONNECTED
    yield* readSse(findPieces(response.body, both), () => {
      watch.heard()
      onHeard()
    })
  } finally {
    watch.end()
    own.abort()
  }
}

/** Stops on the signal even if the transport ignores it. */
async function* findPieces(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  const stop = () => void reader.cancel().catch(() => undefined)
  signal.addEventListener('abort', stop)
  try {
    while (!signal.aborted) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}

/** Closes a connection that has been silent for too long. */
class Silence {
  #isHeard = false
  readonly #over = new AbortController()

  constructor({ sleep }: Transport, connection: AbortController) {
    const { signal } = this.#over
    const listen = async () => {
      do {
        this.#isHeard = false
        await sleep(SILENCE_MS, signal)
      } while (this.#isHeard && !signal.aborted)
      if (!signal.aborted) connection.abort()
    }
    listen().catch(() => connection.abort())
  }

  heard(): void {
    this.#isHeard = true
  }

  end(): void {
    this.#over.abort()
  }
}

function readItem({ event, data }: ServerSentEvent): StreamItem | undefined {
  const value: unknown = JSON.parse(data)
  if (event === STORED) return { kind: 'event', event: readRow(value) }
  const frame = fromWireFrame(value)
  return frame && { kind: 'frame', frame }
}

/** A retry would fail the same way. */
function isFinal(thrown: unknown): boolean {
  if (!PrecisError.is(thrown)) return false
  const isPassing = thrown.code === 'rate-limited' || thrown.code === 'aborted'
  return !isPassing && ERROR_TABLE[thrown.code].status < 500
}
