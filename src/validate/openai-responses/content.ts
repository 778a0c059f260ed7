// Rules for the parts that each role may use in Responses
import { isFields, type Json } from '../../core/text/json.ts'
import { type Rule, rule } from '../rule.ts'
import { fieldsOf, isGiven, listOf } from '../walk.ts'
import { itemsOf } from './items.ts'

const INPUT_PARTS: ReadonlySet<unknown> = new Set([
  'input_text',
  'input_image',
  'input_file',
  'input_audio',
])
const OUTPUT_PARTS: ReadonlySet<unknown> = new Set(['output_text', 'refusal'])
const PARTS_OF_ROLE: ReadonlyMap<unknown, ReadonlySet<unknown>> = new Map([
  ['user', INPUT_PARTS],
  ['system', INPUT_PARTS],
  ['developer', INPUT_PARTS],
  ['assistant', OUTPUT_PARTS],
])

/**
 * Read strictly: an input that is neither text nor a list of objects, a message of no known role,
 * and an input or a message that says nothing have no content type that fits. Any role may say
 * plain text.
 */
const contentFitsRole = rule('VALID-R6', ({ request }, report) => {
  const { input, previous_response_id, conversation, prompt } = fieldsOf(request)
  const mayLackInput = [previous_response_id, conversation, prompt].some(isGiven)
  if (typeof input !== 'string' && !Array.isArray(input) && (isGiven(input) || !mayLackInput)) {
    report('input', 'the input is a text or a list of items')
  } else if (isEmpty(input) && !mayLackInput) {
    report('input', 'the input is empty')
  }
  const values = listOf(input)
  for (const [index, { where, type, fields }] of itemsOf(request).entries()) {
    if (!isFields(values[index])) report(where, 'an item is an object')
    if (type !== 'message') continue
    const parts = PARTS_OF_ROLE.get(fields.role)
    if (!parts) report(`${where}.role`, 'the role is none of the known ones')
    else if (saysNothing(fields.content)) report(`${where}.content`, 'the content is empty')
    else if (Array.isArray(fields.content)) {
      for (const [part, value] of listOf(fields.content).entries()) {
        if (parts.has(fieldsOf(value).type)) continue
        report(`${where}.content[${part}]`, `${String(fields.role)} cannot say this kind of part`)
      }
    } else if (typeof fields.content !== 'string') {
      report(`${where}.content`, 'content is a text or a list of parts')
    }
  }
})

export const CONTENT_RULES: readonly Rule[] = [contentFitsRole]

function isEmpty(value: Json | undefined): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0)
}

/** Nothing at all, or a list of nothing but empty texts. */
function saysNothing(content: Json | undefined): boolean {
  const isSilent = Array.isArray(content) && content.every((part) => fieldsOf(part).text === '')
  return isSilent || isEmpty(content)
}
