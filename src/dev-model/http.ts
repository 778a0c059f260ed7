// Reads request bodies and writes answers, with limits.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Json } from '../core/text/json.ts'
import type { Exchange } from '../validate/rule.ts'
import type { HttpAnswer } from './wire-format.ts'

export type Body = { readonly value: Json; readonly chars: number } | 'too-large' | 'no-json'

/** Reads to the end even if it is too much, so that the client receives the answer. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Body> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > 4 * maxBytes) break
    if (bytes <= maxBytes) chunks.push(chunk)
  }
  if (bytes > maxBytes) return 'too-large'
  const text = Buffer.concat(chunks).toString('utf8')
  try {
    return { value: JSON.parse(text) as Json, chars: text.length }
  } catch (error) {
    if (error instanceof SyntaxError) return 'no-json'
    throw error
  }
}

export function sendJson(
  response: ServerResponse,
  { status, headers = {}, body }: HttpAnswer,
): void {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...headers,
  })
  response.end(text)
}

export function startStream(
  response: ServerResponse,
  contentType: string,
  headers: Readonly<Record<string, string>>,
): void {
  response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-cache', ...headers })
  response.flushHeaders()
}

/** Resolves when there is room for the next piece; false if the client is gone. */
export async function sendPiece(response: ServerResponse, piece: string): Promise<boolean> {
  if (response.destroyed) return false
  if (!response.write(piece)) {
    await new Promise<void>((resolve) => {
      const done = () => {
        response.off('drain', done)
        response.off('close', done)
        resolve()
      }
      response.on('drain', done)
      response.on('close', done)
    })
  }
  return !response.destroyed
}

/** One server-sent event. */
export function sseFrame(data: Json | '[DONE]', event?: string): string {
  const text = data === '[DONE]' ? data : JSON.stringify(data)
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`
}

const PIECE_CHARS = 24

/** Splits a text into stream pieces, never inside a character. */
export function pieces(text: string): readonly string[] {
  const found: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = at + PIECE_CHARS
    const isTorn = text.slice(end - 1, end) > '\ud7ff' && !text.slice(at, end).isWellFormed()
    found.push(text.slice(at, isTorn ? end + 1 : end))
    at = isTorn ? end + 1 : end
  }
  return found
}

interface ExchangeRecord {
  readonly number: number
  readonly exchange: Exchange
  readonly keys: readonly string[]
  readonly chars: number
}

const MAX_EXCHANGES = 2_000
const MAX_CHARS = 100_000_000

export class Memory {
  readonly #byNumber = new Map<number, ExchangeRecord>()
  readonly #byKey = new Map<string, ExchangeRecord>()
  #lastNumber = 0
  #chars = 0

  remember(exchange: Exchange, keys: readonly string[], chars: number): void {
    this.#lastNumber += 1
    const remembered = { number: this.#lastNumber, exchange, keys, chars }
    this.#byNumber.set(remembered.number, remembered)
    this.#chars += chars
    for (const key of keys) this.#byKey.set(key, remembered)
    for (const oldest of this.#byNumber.values()) {
      if (this.#byNumber.size <= MAX_EXCHANGES && this.#chars <= MAX_CHARS) break
      this.#drop(oldest)
    }
  }

  find(key: string): Exchange | undefined {
    return this.#byKey.get(key)?.exchange
  }

  /** False if there is no such name. */
  forget(key: string): boolean {
    const found = this.#byKey.get(key)
    if (found !== undefined) this.#drop(found)
    return found !== undefined
  }

  /** The exchanges with these names and, through `onward`, those they continue; oldest first. */
  related(
    keys: readonly string[],
    onward: (exchange: Exchange) => readonly string[],
  ): readonly Exchange[] {
    const found = new Map<number, Exchange>()
    const waiting = [...keys]
    for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
      const remembered = this.#byKey.get(key)
      if (remembered === undefined || found.has(remembered.number)) continue
      found.set(remembered.number, remembered.exchange)
      for (const next of onward(remembered.exchange)) waiting.push(next)
    }
    return [...found].sort(([one], [other]) => one - other).map(([, exchange]) => exchange)
  }

  #drop(remembered: ExchangeRecord): void {
    this.#byNumber.delete(remembered.number)
    this.#chars -= remembered.chars
    for (const key of remembered.keys) {
      if (this.#byKey.get(key) === remembered) this.#byKey.delete(key)
    }
  }
}
