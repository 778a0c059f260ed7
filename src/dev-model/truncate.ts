// Leaving the oldest messages out without a word, as some servers do when a prompt is too long.
import type { Fields } from '../core/text/json.ts'
import { fieldsOf, listOf } from '../validate/walk.ts'
import { ENVELOPE_TOKENS, tokensOfJson } from './count.ts'

const KEPT_ROLES = ['system', 'developer']

/** System messages and the last message stay, even if they alone are too much. */
export function withoutOldest(body: Fields, field: string, windowTokens: number): Fields {
  const items = listOf(body[field])
  const { tools, system, instructions } = body
  const fixed = [tools, system, instructions].map((each) => tokensOfJson(each ?? null))
  const sizes = items.map((item) => tokensOfJson(item) + ENVELOPE_TOKENS)
  let tokens = [...fixed, ...sizes].reduce((sum, each) => sum + each, 0)
  const kept = items.filter((item, index) => {
    const stays = KEPT_ROLES.includes(String(fieldsOf(item).role)) || index === items.length - 1
    if (stays || tokens <= windowTokens) return true
    tokens -= sizes[index] ?? 0
    return false
  })
  return { ...body, [field]: kept }
}
