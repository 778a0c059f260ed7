// Signatures: prove that a text is ours, unchanged, of which model, and after which prefix
import { digest } from './digest.ts'

/** What a signature says; `payload` is what `redacted_thinking` carries instead of a text. */
export interface Seal {
  readonly prefix: string // hash of what stood before the block; for a compaction: of what it replaces
  readonly model: string // hash of the model's name
  readonly check: string // hash of all this with the sealed text: nothing can be exchanged
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

/** The seal that a signature holds, or undefined if it is none of ours or its text was changed. */
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
