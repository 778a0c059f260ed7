// The items of a Responses document that can be sent back: complete pairs with valid names
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import { acceptable } from '../openai-responses/acceptable.ts'

/** The id under which the items of this API stand among messages. */
export const PROVIDER = 'openai'

const WORD = /^[a-zA-Z0-9_-]{1,64}$/

const MAX_CALL_ID_CHARS = 64

interface Returnable {
  readonly kept: ReadonlySet<Json>
  /** The latest that can be sent. */
  readonly compaction?: Fields
}

export function returnable(items: readonly Json[]): Returnable {
  const usable = items.filter(isFields).filter(isUsable)
  const compaction = usable.findLast(({ type }) => type === 'compaction')
  const kept = new Set<Json>(acceptable(usable, () => undefined))
  return { kept, ...(compaction && { compaction }) }
}

function isUsable({ type, name, input, call_id: id, encrypted_content: content }: Fields): boolean {
  if (typeof id === 'string' && id.length > MAX_CALL_ID_CHARS) return false
  if (type === 'compaction') return typeof content === 'string' && content !== ''
  if (type !== 'custom_tool_call') return true
  return typeof name === 'string' && WORD.test(name) && typeof input === 'string'
}
