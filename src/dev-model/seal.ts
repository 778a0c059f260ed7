// Short, deterministic names for contents, and signatures: they prove that a text is ours and unchanged, its model, and its prefix.
import { createHash } from 'node:crypto'
import type { Json } from '../core/text/json.ts'

// Short, deterministic names for contents.

/** A hex hash of several texts, including their boundaries. */
export function digest(...texts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const text of texts) hash.update(`${text.length}:`).update(text)
  return hash.digest('hex')
}

/** The content as sent, without cache marks, which are not part of a prompt. */
export function promptText(value: Json): string {
  return JSON.stringify(value, (key, each: Json) => (key === 'cache_control' ? undefined : each))
}

/** A word of letters and digits, usable in an id. */
export function readId(prefix: string, ...texts: readonly string[]): string {
  return `${prefix}${digest(...texts).slice(0, 24)}`
}

// Signatures prove that a text is ours and unchanged, its model, and its prefix.

/** The content of a signature; `payload` replaces the text of `redacted_thinking`. */
export interface Seal {
  readonly prefix: string // hash of what precedes the block; for a compaction, of what it replaces
  readonly model: string // hash of the model's name
  readonly check: string // hash of all this and the sealed text
  readonly payload: string
}

const MARK = 'dev1'

const HASH_CHARS = 20

export function sealed(
  kind: string,
  text: string,
  of: { prefix: string; model: string },
  payload = '',
): string {
  const [prefix, model] = [short(of.prefix), short(digest(of.model))]
  const check = short(digest(kind, text, prefix, model, payload))
  return Buffer.from([MARK, prefix, model, check, payload].join('.')).toString('base64')
}

/** The seal in a signature; undefined if it is not ours or the text was changed. */
export function unsealed(kind: string, text: string, signature: string): Seal | undefined {
  const [mark, prefix = '', model = '', check = '', ...rest] = Buffer.from(signature, 'base64')
    .toString('utf8')
    .split('.')
  const payload = rest.join('.')
  const isOurs = mark === MARK && check === short(digest(kind, text, prefix, model, payload))
  return isOurs ? { prefix, model, check, payload } : undefined
}

export function isBoundTo(seal: Seal, prefix: string): boolean {
  return seal.prefix === short(prefix)
}

export function isOfModel(seal: Seal, model: string): boolean {
  return seal.model === short(digest(model))
}

function short(hash: string): string {
  return hash.slice(0, HASH_CHARS)
}
