// The rules of OpenAI Responses: VALID-R1 to -R10 of docs/spec/valid.md, without R8, and well-formed text.
import { isFields, type Json } from '../../core/text/json.ts'
import {
  isGiven,
  type Report,
  type Rule,
  type RuleInput,
  readFields,
  readList,
  rule,
  textsAreWellFormed,
} from '../walk.ts'
import {
  encryptedContents,
  findChain,
  type Item,
  isSent,
  REASONING_RULES,
  readItems,
} from './reasoning.ts'

// Rules for the parts that each role may use in Responses

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

const CONTENT_RULES: readonly Rule[] = [contentFitsRole]

function isEmpty(value: Json | undefined): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0)
}

/** Nothing at all, or a list of nothing but empty texts. */
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

/** Rules for the server's compaction in Responses: items before it, and how to request it */
const COMPACTION_RULES: readonly Rule[] = [compactionStandsAlone]

function isCompaction({ type }: Item): boolean {
  return type === 'compaction'
}

/** One compaction can come in several items. */
function mayPrecede(item: Item): boolean {
  return isCompaction(item) || (item.type === 'message' && item.fields.role !== 'assistant')
}

// Calls and their outputs in Responses: each has the other, under one call_id.

/** The type of an output → the type of its call. */
const CALL_OF_OUTPUT: ReadonlyMap<string, string> = new Map([
  ['function_call_output', 'function_call'],
  ['custom_tool_call_output', 'custom_tool_call'],
  ['local_shell_call_output', 'local_shell_call'],
  ['shell_call_output', 'shell_call'],
  ['apply_patch_call_output', 'apply_patch_call'],
  ['computer_call_output', 'computer_call'],
  ['mcp_approval_response', 'mcp_approval_request'],
])
const CALLS: ReadonlySet<string> = new Set(CALL_OF_OUTPUT.values())

interface Pairing {
  readonly orphans: readonly Item[]
  readonly open: readonly Item[]
}

/**
 * Read strictly: the call stands before its output, is of the output's kind, and is answered once.
 * Where the server knows more than we do (a response, a conversation or an item that is only
 * named), the call may be there: an output without one is then let pass.
 */
const everyOutputHasItsCall = rule('VALID-R1', (input, report) => {
  const isWholeKnown = !readItems(input.request).some(({ type }) => type === 'item_reference')
  const isDecidable = isWholeKnown && findChain(input).isKnown
  for (const item of findPairing(input).orphans) {
    const field = linkField(item)
    const id = readLink(item)
    if (id === undefined) report(`${item.where}.${field}`, `the ${item.type} names no call`)
    else if (isDecidable) report(`${item.where}.${field}`, `no call ${id} before this output`)
  }
})

/** An unanswered call that the server remembers is reported at `previous_response_id`. */
const everyCallHasItsOutput = rule('VALID-R2', (input, report) => {
  for (const item of findPairing(input).open) {
    // A missing approval is not a call without output: the conversation may continue.
    if (item.type === 'mcp_approval_request') continue
    const where = isSent(item) ? `${item.where}.call_id` : item.where
    report(where, `the ${item.type} ${readLink(item) ?? 'without a call_id'} has no output`)
  }
})

const PAIR_RULES: readonly Rule[] = [everyOutputHasItsCall, everyCallHasItsOutput]

/** Pairs by kind and id; ids may repeat, and an output belongs to the latest open call. */
function findPairing(input: RuleInput): Pairing {
  const waiting = new Map<string, Item[]>()
  const unnamed: Item[] = []
  const orphans: Item[] = []
  for (const item of [...findChain(input).items, ...readItems(input.request)]) {
    if (item.type === undefined) continue
    const id = readLink(item)
    if (CALLS.has(item.type)) {
      const key = `${item.type} ${id}`
      const sameId = waiting.get(key)
      if (id === undefined) unnamed.push(item)
      else if (sameId) sameId.push(item)
      else waiting.set(key, [item])
      continue
    }
    const call = CALL_OF_OUTPUT.get(item.type)
    if (call === undefined) continue
    const answered = id === undefined ? undefined : waiting.get(`${call} ${id}`)?.pop()
    if (answered === undefined && isSent(item)) orphans.push(item)
  }
  return { orphans, open: [...unnamed, ...[...waiting.values()].flat()] }
}

/** What a call is known by, and what an output knows it by. */
function readLink(item: Item): string | undefined {
  const value = item.fields[linkField(item)]
  return typeof value === 'string' ? value : undefined
}

function linkField({ type, fields }: Item): string {
  if (type === 'mcp_approval_request') return 'id'
  if (type === 'mcp_approval_response') return 'approval_request_id'
  // The reference calls the field `id` here, the guide `call_id`.
  return type === 'local_shell_call_output' && fields.call_id === undefined ? 'id' : 'call_id'
}

const WORD = /^[a-zA-Z0-9_-]{1,64}$/
const CALL_ID_CHARS = 64
const PREFIXES: ReadonlyMap<string, string> = new Map([
  ['reasoning', 'rs_'],
  ['message', 'msg_'],
  ['function_call', 'fc_'],
  ['custom_tool_call', 'ctc_'],
  ['web_search_call', 'ws_'],
])

/**
 * Sending an item again that the chain of `previous_response_id` holds is a duplicate too. Of a
 * `call_id` only the length is checked by the server; it may repeat.
 */
const idsAreUniqueAndWellFormed = rule('VALID-R4', (input, report) => {
  const seen = new Set(findChain(input).items.flatMap(({ id }) => id ?? []))
  for (const { where, type = '', id, fields } of readItems(input.request)) {
    const prefix = PREFIXES.get(type) ?? ''
    if (isGiven(fields.id)) {
      if (id === undefined || !WORD.test(id)) {
        report(`${where}.id`, 'an id has 1 to 64 letters, digits, underscores and dashes')
      } else if (!id.startsWith(prefix)) {
        report(`${where}.id`, `the id of a ${type} begins with ${prefix}`)
      } else if (seen.has(id)) report(`${where}.id`, `the item ${id} is there twice`)
    }
    if (id !== undefined) seen.add(id)
    const { call_id: callId } = fields
    if (typeof callId === 'string' && callId.length > CALL_ID_CHARS) {
      report(`${where}.call_id`, `${callId.length} characters; ${CALL_ID_CHARS} are allowed`)
    }
  }
})

/** Names are held to the characters of Chat Completions as well as to the length. */
const callsAreWellFormed = rule('VALID-R10', ({ request }, report) => {
  for (const { where, type, fields } of readItems(request)) {
    if (type === 'function_call') {
      checkName(`${where}.name`, fields.name, report)
      checkText(`${where}.arguments`, fields.arguments, report)
    } else if (type === 'custom_tool_call') {
      checkName(`${where}.name`, fields.name, report)
      checkText(`${where}.input`, fields.input, report)
    }
  }
  for (const [index, value] of readList(readFields(request).tools).entries()) {
    const { type, name } = readFields(value)
    if (type === 'function' || type === 'custom') checkName(`tools[${index}].name`, name, report)
  }
})

/** Ids, names and arguments in Responses. */
const ID_RULES: readonly Rule[] = [idsAreUniqueAndWellFormed, callsAreWellFormed]

function checkName(where: string, name: Json | undefined, report: Report): void {
  if (typeof name !== 'string' || !WORD.test(name)) {
    report(where, 'a name has 1 to 64 letters, digits, underscores and dashes')
  }
}

function checkText(where: string, value: Json | undefined, report: Report): void {
  if (typeof value !== 'string') report(where, 'a string is needed')
}

export const OPENAI_RESPONSES_RULES: readonly Rule[] = [
  ...PAIR_RULES,
  ...REASONING_RULES,
  ...ID_RULES,
  ...CONTENT_RULES,
  ...COMPACTION_RULES,
  textsAreWellFormed,
]
