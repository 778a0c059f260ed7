// Rules for the parts that each role may use in Responses.
import { isFields, type Json } from '../../core/text/json.ts'
import { type Rule, rule } from '../rule.ts'
import { isGiven, readFields, readList } from '../walk.ts'
import { encryptedContents, type Item, readItems } from './reasoning.ts'

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
  const { input, previous_response_id, conversation, prompt } = readFields(request)
  const mayLackInput = [previous_response_id, conversation, prompt].some(isGiven)
  if (typeof input !== 'string' && !Array.isArray(input) && (isGiven(input) || !mayLackInput)) {
    report('input', 'the input is a text or a list of items')
  } else if (isEmpty(input) && !mayLackInput) {
    report('input', 'the input is empty')
  }
  const values = readList(input)
  for (const [index, { where, type, fields }] of readItems(request).entries()) {
    if (!isFields(values[index])) report(where, 'an item is an object')
    if (type !== 'message') continue
    const parts = PARTS_OF_ROLE.get(fields.role)
    if (!parts) report(`${where}.role`, 'the role is none of the known ones')
    else if (saysNothing(fields.content)) report(`${where}.content`, 'the content is empty')
    else if (Array.isArray(fields.content)) {
      for (const [part, value] of readList(fields.content).entries()) {
        if (parts.has(readFields(value).type)) continue
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

/** No content, or only empty texts. */
function saysNothing(content: Json | undefined): boolean {
  const isSilent = Array.isArray(content) && content.every((part) => readFields(part).text === '')
  return isSilent || isEmpty(content)
}

/**
 * The window that the compact call gives back keeps messages of the user before its item, so only
 * a strict backend is held to «everything before»; elsewhere it is everything the model made and
 * what was answered to it. «Manual truncation» is seen only as a compaction sent along with
 * `previous_response_id`: the server still has all that it replaces.
 */
const compactionStandsAlone = rule('VALID-R7', ({ request, profile, earlier }, report) => {
  const items = readItems(request)
  const latest = items.findLastIndex(isCompaction)
  const known = encryptedContents(earlier)
  for (const [index, item] of items.entries()) {
    if (index < latest && (profile.strict || !mayPrecede(item))) {
      report(item.where, 'the compaction behind it stands for this item: drop it')
    }
    if (item.type === 'compaction_trigger' && index < items.length - 1) {
      report(item.where, 'compaction_trigger must be the last item')
    }
    if (!isCompaction(item)) continue
    const { encrypted_content: content } = item.fields
    const original = item.id === undefined ? undefined : known.get(item.id)
    if (typeof content !== 'string' || content === '' || (original ?? content) !== content) {
      report(`${item.where}.encrypted_content`, 'a compaction is sent back as it came')
    }
  }
  if (latest !== -1 && isGiven(readFields(request).previous_response_id)) {
    report('previous_response_id', 'the server still has what the compaction replaces')
  }
})

/** Rules for the server's compaction in Responses: items before it, and how to request it. */
export const COMPACTION_RULES: readonly Rule[] = [compactionStandsAlone]

function isCompaction({ type }: Item): boolean {
  return type === 'compaction'
}

/** One compaction can come in several items. */
function mayPrecede(item: Item): boolean {
  return isCompaction(item) || (item.type === 'message' && item.fields.role !== 'assistant')
}
