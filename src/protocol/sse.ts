// Server-sent events: written, and read from a stream of bytes with a limit on what one may hold.
import { PrecisError } from '../core/errors.ts'

export interface ServerSentEvent {
  readonly event: string // `message` where none is named
  readonly data: string
  readonly id?: string
}

/** One event may hold a whole stored row with images. */
const MAX_EVENT_CHARS = 64_000_000

export function writeSse({ event, data, id }: ServerSentEvent): string {
  const lines = [
    ...(id === undefined ? [] : [`id: ${id}`]),
    `event: ${event}`,
    // JSON has no raw line ends; other data is split into lines as the format requires.
    ...data.split(/\r\n|\r|\n/).map((line) => `data: ${line}`),
  ]
  return `${lines.join('\n')}\n\n`
}

/** Keeps a connection alive; not an event. */
export const SSE_HEARTBEAT = ': beat\n\n'

/** `onActivity` is called for every chunk, heartbeats included. */
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

/** Splits chunks of text into lines. Scans each chunk once, however long a line gets. */
class Lines {
  #pieces: string[] = []
  #isHalfEnded = false // a trailing CR may be the first half of a line end
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

/** The fields of the event being read. */
class EventFields {
  #event = ''
  #data: string[] = []
  #id: string | undefined
  size = 0

  /** An empty line ends an event; an event without data is dropped. */
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
