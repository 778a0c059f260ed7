// Detects a document's wire format by fields and types unique to it.
import { PrecisError } from '../../core/errors.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { Profile } from '../../validate/rule.ts'
import { isGiven, readFields, readList, readText } from '../../validate/walk.ts'
import { wrongShape } from '../../wire/anthropic/shape.ts'

export type WireFormat = Profile['wire']

/** The field with the conversation in each format. */
const LISTS: Readonly<Record<WireFormat, string>> = {
  anthropic: 'messages',
  'openai-chat': 'messages',
  'openai-responses': 'input',
  gemini: 'contents',
}

export function isWireFormat(name: string): name is WireFormat {
  return Object.hasOwn(LISTS, name)
}

const HINT = `Known formats: ${Object.keys(LISTS).join(', ')}. Name it with --format.`

export const WIRE_FORMATS = Object.keys(LISTS) as readonly WireFormat[]

/**
 * The document as an object, if its top level has the shape of the format; deeper problems are left to the
 * rules. A bare list is the conversation. Throws for another format.
 */
export function documentAs(format: WireFormat, document: Json): Fields {
  const found = evidenceIn(document)
  const other = likeliest(found)
  if (other !== undefined && found[format].length === 0) throw notOfFormat(format, other, found)
  const list = LISTS[format]
  if (Array.isArray(document)) return { [list]: document }
  if (!isFields(document))
    throw wrongShape('', `an object with \`${list}\`, or an array of ${list}`, document, HINT)
  const conversation = document[list]
  const isText = list === 'input' && typeof conversation === 'string'
  if (!Array.isArray(conversation) && !isText)
    throw wrongShape(list, `an array of ${list}`, conversation, HINT)
  return document
}

/** The format with most evidence; undefined without any. */
export function likelyFormat(document: Json): WireFormat | undefined {
  return likeliest(evidenceIn(document))
}

/** Places and content unique to each format. */
type Evidence = Readonly<Record<WireFormat, string[]>>

function likeliest(found: Evidence): WireFormat | undefined {
  const [best] = [...WIRE_FORMATS].sort((a, b) => found[b].length - found[a].length)
  return best !== undefined && found[best].length > 0 ? best : undefined
}

function notOfFormat(format: WireFormat, other: WireFormat, found: Evidence): PrecisError {
  const message = `the document is not in the format ${format}: it looks like ${other} (${found[other][0]})`
  return new PrecisError('unknown-format', message, {
    hint: `Pass --format ${other}, or omit --format.`,
    details: { asked: format, likely: other },
  })
}

const FIELDS: Readonly<Record<WireFormat, readonly string[]>> = {
  anthropic: ['system', 'stop_sequences', 'betas', 'anthropic_version'],
  'openai-chat': ['max_completion_tokens', 'reasoning_effort', 'response_format', 'functions'],
  'openai-responses': ['input', 'instructions', 'previous_response_id', 'max_output_tokens'],
  gemini: ['contents', 'systemInstruction', 'system_instruction', 'generationConfig'],
}

function evidenceIn(document: Json): Evidence {
  const found: Evidence = { anthropic: [], 'openai-chat': [], 'openai-responses': [], gemini: [] }
  const fields = readFields(document)
  for (const format of WIRE_FORMATS) {
    for (const name of FIELDS[format]) {
      if (isGiven(fields[name])) found[format].push(`it has \`${name}\``)
    }
  }
  for (const [index, tool] of readList(fields.tools).entries()) {
    const format = formatOfTool(readFields(tool))
    if (format !== undefined) found[format].push(`tools[${index}] has its shape`)
  }
  const lists = Array.isArray(document)
    ? [['', document] as const]
    : ['messages', 'input', 'contents'].map((name) => [name, readList(fields[name])] as const)
  for (const [name, list] of lists) {
    for (const [index, item] of list.entries())
      searchItem(readFields(item), `${name}[${index}]`, found)
  }
  return found
}

function formatOfTool(tool: Fields): WireFormat | undefined {
  if (isGiven(tool.input_schema)) return 'anthropic'
  if (isFields(tool.function)) return 'openai-chat'
  if (tool.type === 'function' && isGiven(tool.name)) return 'openai-responses'
  return isGiven(tool.functionDeclarations) ? 'gemini' : undefined
}

const CHAT_ROLES = ['tool', 'function']
const CHAT_FIELDS = ['tool_calls', 'tool_call_id', 'function_call', 'refusal']
const RESPONSES_ITEMS = /^(?:message|reasoning|item_reference|\w+_call|\w+_call_output)$/

/** Collects evidence in one message, item or content. */
function searchItem(item: Fields, place: string, found: Evidence): void {
  const { role, type, content, parts } = item
  const name = readText(role) ?? ''
  if (CHAT_ROLES.includes(name)) found['openai-chat'].push(`${place} has the role ${name}`)
  for (const field of CHAT_FIELDS) {
    if (isGiven(item[field])) found['openai-chat'].push(`${place} has \`${field}\``)
  }
  if (RESPONSES_ITEMS.test(readText(type) ?? ''))
    found['openai-responses'].push(`${place} is an item of the type ${String(type)}`)
  if (name === 'model' || Array.isArray(parts)) found.gemini.push(`${place} has parts`)
  for (const [index, block] of readList(content).entries()) {
    const kind = readText(readFields(block).type) ?? ''
    const format = formatOfBlock(kind, readFields(block))
    if (format !== undefined)
      found[format].push(`${place}.content[${index}] is a block of the type ${kind}`)
  }
}

const ANTHROPIC_BLOCKS =
  /^(?:tool_use|tool_result|thinking|redacted_thinking|server_tool_use|\w+_tool_result|compaction|search_result)$/
const CHAT_PARTS = /^(?:image_url|input_audio)$/
const RESPONSES_PARTS = /^(?:input_text|output_text|input_image|input_file)$/

function formatOfBlock(kind: string, { source }: Fields): WireFormat | undefined {
  if (ANTHROPIC_BLOCKS.test(kind) || isFields(source)) return 'anthropic'
  if (CHAT_PARTS.test(kind)) return 'openai-chat'
  return RESPONSES_PARTS.test(kind) ? 'openai-responses' : undefined
}
