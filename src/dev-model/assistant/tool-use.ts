// Chooses an offered tool for an action, with arguments that fit its schema.
import type { Fields, Json } from '../../core/text/json.ts'
import { readFields, readList, readText } from '../../validate/walk.ts'
import type { OfferedTool } from '../asked.ts'
import type { AnswerCall } from '../reply.ts'
import type { Instruction } from './instructions.ts'

/** The value of a field, and the possible names of the field. */
interface ArgumentHint {
  readonly name: RegExp
  readonly value: string
}

const TOOL_NAMES: Readonly<Record<Instruction['kind'], RegExp>> = {
  read: /read|view|cat|open|get_?file|show/i,
  write: /write|create|save/i,
  edit: /edit|replace|patch/i,
  list: /list|^ls$|^dir|tree|glob/i,
  search: /search|grep|find/i,
  run: /run|bash|shell|exec|command|terminal/i,
  recall: /recall/i,
  compact: /^compact$/,
}

const PATH_FIELD = /path|file|uri|name/i
const FOLDER_FIELD = /path|folder|dir|file/i
const CONTENT_FIELD = /content|text|body|data/i
const FROM_FIELD = /^(?:old|from|search|find|before)/i
const TO_FIELD = /^(?:new|to|replace|after|with)/i
const QUERY_FIELD = /query|pattern|regex|search|text|^q$/i
const REF_FIELD = /ref|entry|^id$/i
const COMMAND_FIELD = /command|cmd|script|code|input/i
/** A ref as elisions write it. */
const REF = /^(?:\[?ref:)?((?:e\d+|c\d+\.\d+))\]?$/

/** The call for an instruction; undefined if no tool fits. A tool of that exact name is preferred. */
export function callFor(
  instruction: Instruction,
  tools: readonly OfferedTool[],
): AnswerCall | undefined {
  const { kind } = instruction
  const fitting = tools
    .filter(({ name }) => TOOL_NAMES[kind].test(name))
    .sort((one, other) => Number(other.name === kind) - Number(one.name === kind))
  for (const { name, schema } of fitting) {
    for (const wanted of wantedBy(instruction)) {
      const left = [...wanted]
      const given = fill(schema, left, MAX_DEPTH)
      if (left.length === 0) return { name, arguments: given }
    }
  }
  return undefined
}

/** A forced call with only the arguments its schema requires. */
export function plainCall({ name, schema }: OfferedTool): AnswerCall {
  return { name, arguments: fill(schema, [], MAX_DEPTH) }
}

/** The required arguments; of several ways the first the schema has fields for. */
function wantedBy(instruction: Instruction): readonly (readonly ArgumentHint[])[] {
  switch (instruction.kind) {
    case 'read':
      return [[{ name: PATH_FIELD, value: instruction.path }]]
    case 'write':
      return [
        [
          { name: CONTENT_FIELD, value: instruction.content },
          { name: PATH_FIELD, value: instruction.path },
        ],
      ]
    case 'edit':
      return [
        [
          { name: FROM_FIELD, value: instruction.from },
          { name: TO_FIELD, value: instruction.to },
          { name: PATH_FIELD, value: instruction.path },
        ],
      ]
    case 'list':
      return [
        instruction.path === undefined ? [] : [{ name: FOLDER_FIELD, value: instruction.path }],
      ]
    case 'search': {
      const query = { name: QUERY_FIELD, value: instruction.query }
      const { path } = instruction
      return [path === undefined ? [query] : [query, { name: FOLDER_FIELD, value: path }]]
    }
    case 'run':
      return [[{ name: COMMAND_FIELD, value: instruction.command }]]
    case 'recall': {
      const ref = REF.exec(instruction.query)?.[1]
      const query = [{ name: QUERY_FIELD, value: instruction.query }]
      return ref === undefined ? [query] : [[{ name: REF_FIELD, value: ref }], query]
    }
    case 'compact':
      return []
  }
}

const MAX_DEPTH = 4

/**
 * Fills the wanted fields, which it removes from the list, and gives required fields a plain value. Some
 * tools take edits as a list of objects, so it looks there, too.
 */
function fill(schema: Json, wanted: ArgumentHint[], depth: number): Fields {
  const { properties, required } = readFields(schema)
  const needed = new Set(readList(required))
  const given: Record<string, Json> = {}
  for (const [field, fieldSchema] of Object.entries(readFields(properties))) {
    const index = acceptsText(fieldSchema) ? wanted.findIndex(({ name }) => name.test(field)) : -1
    const [match] = index === -1 ? [] : wanted.splice(index, 1)
    const before = wanted.length
    const nested = depth === 0 ? undefined : fillNested(readFields(fieldSchema), wanted, depth - 1)
    if (match !== undefined) given[field] = match.value
    else if (nested !== undefined && (wanted.length < before || needed.has(field))) {
      given[field] = nested
    } else if (needed.has(field)) given[field] = plainValue(readFields(fieldSchema))
  }
  return given
}

function fillNested(
  { type, items, properties, required }: Fields,
  wanted: ArgumentHint[],
  depth: number,
): Json | undefined {
  if (type === 'object')
    return fill({ properties: properties ?? {}, required: required ?? [] }, wanted, depth)
  const before = wanted.length
  if (type !== 'array' || readFields(items).type !== 'object') return undefined
  const item = fill(items ?? {}, wanted, depth)
  return wanted.length < before ? [item] : []
}

function acceptsText(schema: Json): boolean {
  const { type } = readFields(schema)
  return type === undefined || type === 'string' || readList(type).includes('string')
}

function plainValue(schema: Fields): Json {
  if (schema.const !== undefined) return schema.const
  const [first] = readList(schema.enum)
  if (first !== undefined) return first
  switch (readText(schema.type) ?? readText(readList(schema.type)[0])) {
    case 'number':
    case 'integer':
      return typeof schema.minimum === 'number' ? schema.minimum : 1
    case 'boolean':
      return false
    case 'array':
      return []
    case 'object':
      return {}
    default:
      return 'x'
  }
}
