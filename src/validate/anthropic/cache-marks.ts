// Marks for the prompt cache: four at most, the long-lived ones first.
import type { Json } from '../../core/text/json.ts'
import { type Rule, type RuleInput, rule } from '../rule.ts'
import { fieldsOf, isGiven, listOf, textOf } from '../walk.ts'
import { conversationOf, systemBlocks, withNested } from './conversation.ts'

const MAX_MARKS = 4

interface Mark {
  readonly place: string
  readonly isLong: boolean
}

const cacheMarksFit = rule('VALID-A17', (input, report) => {
  let hasShort = false
  for (const [index, { place, isLong }] of marksOf(input).entries()) {
    if (index >= MAX_MARKS) report(place, `a mark for the cache beyond the ${MAX_MARKS} allowed`)
    else if (isLong && hasShort) report(place, 'a mark of one hour stands behind one of 5 minutes')
    if (!isLong) hasShort = true
  }
})

export const CACHE_RULES: readonly Rule[] = [cacheMarksFit]

/** In the order in which the API reads them: tools, system, messages. */
function marksOf(input: RuleInput): readonly Mark[] {
  const { tools, cache_control } = fieldsOf(input.request)
  const blocks = conversationOf(input).flatMap((message) => message.blocks)
  const marks = [
    ...listOf(tools).map((tool, index) => ({ fields: fieldsOf(tool), place: `tools[${index}]` })),
    ...systemBlocks(input.request),
    ...blocks.flatMap((block) => withNested(block)),
  ].flatMap(({ fields, place }) => markAt(fields.cache_control, `${place}.cache_control`))
  // One for the whole request falls on the last block, and is none more where that has its own.
  const isLastMarked = isGiven(blocks.at(-1)?.fields.cache_control)
  return isLastMarked ? marks : [...marks, ...markAt(cache_control, 'cache_control')]
}

function markAt(value: Json | undefined, place: string): readonly Mark[] {
  return isGiven(value) ? [{ place, isLong: textOf(fieldsOf(value).ttl) === '1h' }] : []
}
