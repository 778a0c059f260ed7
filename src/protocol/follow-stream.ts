// Follows a thread over HTTP: missed events first, then live ones, across reconnects
// Server-sent events: written, and read from a stream of bytes with a limit on what one may hold.
import { ERROR_TABLE } from '../core/error-table.ts'
import { PrecisError } from '../core/errors.ts'
import { readRow } from '../core/log/codec.ts'
import type { StreamItem } from './client.ts'
import { callRaw, type Transport } from './http-requests.ts'
import { fromWireFrame } from './wire.ts'

const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 10_000
/** Followers that were lost together come back one after the other: together they would hold up all the rest. */
const SPREAD_MS = 1_000
/** In a row: an hour of them. */
const MOST_FAILURES = 360
/** The server beats more often than this; without a sign of life the connection is given up. */
const SILENCE_MS = 60_000

/** The name of what is stored, in the stream; frames go by their own types. */
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

/** An event is missing: what came after it is asked for again. */
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

/** Also if the transport itself does not heed a signal. */
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

/** Ends a connection on which nothing has come for too long. */
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

/** Trying again would end the same way. */
function isFinal(thrown: unknown): boolean {
  if (!PrecisError.is(thrown)) return false
  const isPassing = thrown.code === 'rate-limited' || thrown.code === 'aborted'
  return !isPassing && ERROR_TABLE[thrown.code].status < 500
}

export interface ServerSentEvent {
  readonly event: string // `message` where none is named
  readonly data: string
  readonly id?: string
}

/** One event may hold a whole stored row, with images in it. */
const MAX_EVENT_CHARS = 64_000_000

export function writeSse({ event, data, id }: ServerSentEvent): string {
  const lines = [
    ...(id === undefined ? [] : [`id: ${id}`]),
    `event: ${event}`,
    // JSON has no bare line ends; whatever else has some is split as the format wants it.
    ...data.split(/\r\n|\r|\n/).map((line) => `data: ${line}`),
  ]
  return `${lines.join('\n')}\n\n`
}

/** Keeps a connection alive and is not an event. */
export const SSE_HEARTBEAT = ': beat\n\n'

/** `onActivity` is called for every piece that comes, heartbeats included. */
export async function* readSse(
  stream: AsyncIterable<Uint8Array>,
  onActivity: () => void = () => undefined,
  maxEventChars = MAX_EVENT_CHARS,
): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder()
  const fields = new EventFields()
  const lines = new Lines()
  for await (const bytes of stream) {
    onActivity()
    for (const line of lines.take(decoder.decode(bytes, { stream: true }))) {
      const event = fields.take(line)
      if (event) yield event
    }
    if (lines.size + fields.size > maxEventChars)
      throw new PrecisError('payload-too-large', 'An event of the stream is too large.', {
        hint: `At most ${maxEventChars} characters are taken.`,
      })
  }
}

/** Whole lines out of pieces of text. Each piece is looked at once, however long a line gets. */
class Lines {
  #pieces: string[] = []
  #isHalfEnded = false // a CR that may be the first half of a line end
  size = 0

  take(piece: string): string[] {
    const text = this.#isHalfEnded ? `\r${piece}` : piece
    this.#isHalfEnded = text.endsWith('\r')
    const parts = (this.#isHalfEnded ? text.slice(0, -1) : text).split(/\r\n|\r|\n/)
    const last = parts.pop() ?? ''
    const [first, ...others] = parts
    const whole = first === undefined ? [] : [[...this.#pieces, first].join(''), ...others]
    if (first !== undefined) {
      this.#pieces = []
      this.size = 0
    }
    this.#pieces.push(last)
    this.size += last.length
    return whole
  }
}

/** The fields of the event that is being read. */
class EventFields {
  #event = ''
  #data: string[] = []
  #id: string | undefined
  size = 0

  /** An empty line ends an event; without data it is none. */
  take(line: string): ServerSentEvent | undefined {
    if (line === '') return this.#finish()
    const colon = line.indexOf(':')
    if (colon === 0) return undefined // a comment
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    this.size += value.length
    if (field === 'event') this.#event = value
    else if (field === 'data') this.#data.push(value)
    else if (field === 'id' && !value.includes('\0')) this.#id = value
    return undefined
  }

  #finish(): ServerSentEvent | undefined {
    const event =
      this.#data.length === 0
        ? undefined
        : {
            event: this.#event || 'message',
            data: this.#data.join('\n'),
            ...(this.#id !== undefined && { id: this.#id }),
          }
    this.#event = ''
    this.#data = []
    this.#id = undefined
    this.size = 0
    return event
  }
}
