// Chooses an offered tool for an action, with arguments that fit its schema
// Questions, answered from the context: the newest line that has the words of the question.
import type { Fields, Json } from '../../core/text/json.ts'
import { readFields, readList, readText } from '../../validate/walk.ts'
import { type Asked, type AskedPart, isNote, type OfferedTool } from '../asked.ts'
import type { AnswerCall } from '../reply.ts'
import type { Instruction } from './instructions.ts'
import { quoted } from './summary.ts'

/** The value of a field → the names that fields for it go by. */
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
/** The name of an entry, as elisions carry it. */
const REF = /^(?:\[?ref:)?((?:e\d+|c\d+\.\d+))\]?$/

/** The call that does it, or undefined if no tool fits. A tool of the very name goes first. */
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

/** A call of a tool that must be called, with nothing to say to it but what its schema demands. */
export function plainCall({ name, schema }: OfferedTool): AnswerCall {
  return { name, arguments: fill(schema, [], MAX_DEPTH) }
}

/** What the arguments must hold; if there are several ways, the first that the schema has room for. */
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
 * Fields that are wanted, which are taken off the list, or required, which get a plain value. Some
 * tools take their edits as a list of objects: what is wanted is looked for in there, too.
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

const UNKNOWN = 'I do not see'
const KNOWN = 'From my context: '
const QUESTION =
  /^(?:what|which|who|where)(?: is| are| was| were|['’]s) (?:the |my |our )?(.+?)\?$/i
const REQUEST = /^(?:please )?(?:tell me|remind me of|give me|name) (?:the |my |our )?(.+?)[.!]?$/i
/** They ask, and do not say what for. */
const EMPTY = new Set(
  'a an and are at did do does for from has have how i in is it many me much my name number of on or our please say tell that the there this to use value was we were what when where which who why with you your'.split(
    ' ',
  ),
)
/** Longer lines are looked at sentence by sentence. */
const LONG_LINE = 200
const MAX_LINES = 20_000

/** Undefined where nothing is asked. What a compaction lost is not known. */
export function answerQuestion(asked: Asked, text: string, at: number): string | undefined {
  const line = text.split('\n').findLast((each) => each.trim() !== '')
  const said = line?.trim() ?? ''
  const subject = QUESTION.exec(said)?.[1] ?? REQUEST.exec(said)?.[1]
  if (subject === undefined && !said.endsWith('?')) return undefined
  const wanted = wordsIn(subject ?? said)
  const found = wanted.size === 0 ? undefined : bestLine(asked, at, said, wanted)
  if (found !== undefined) return `${KNOWN}${quoted(found)}`
  return subject === undefined
    ? `You said ${quoted(text)}. ${UNKNOWN} an answer in my context.`
    : `${UNKNOWN} ${subject.toLowerCase()} in my context.`
}

/** The line that has most of the words; of several the newest. */
function bestLine(
  asked: Asked,
  at: number,
  said: string,
  wanted: ReadonlySet<string>,
): string | undefined {
  // Of two words both, of more two thirds: a line on something else is no answer.
  const least = wanted.size <= 2 ? wanted.size : Math.ceil((2 * wanted.size) / 3)
  let best: { line: string; hits: number } | undefined
  for (const line of listLines(asked, at)) {
    if (line === said || line.endsWith('?') || line.startsWith(UNKNOWN)) continue
    const words = wordsIn(line)
    const hits = [...wanted].filter((word) => words.has(word)).length
    if (hits >= least && hits >= (best?.hits ?? 0)) best = { line, hits }
  }
  return best?.line
}

/** Everything that was sent up to the question: what opens a session stands in the same turn. */
function listLines(asked: Asked, at: number): string[] {
  return [asked.system, ...asked.turns.slice(0, at + 1).flatMap(({ parts }) => parts.map(saidIn))]
    .flatMap((each) => each.split('\n'))
    .slice(-MAX_LINES)
    .flatMap((line) => (line.length <= LONG_LINE ? [line] : line.split(/(?<=[.!?;])\s+/)))
    .map((line) => unwrapped(line.trim()))
    .filter((line) => line !== '' && !isNote(line) && !line.startsWith('#'))
}

function saidIn(part: AskedPart): string {
  return part.type === 'call' ? '' : part.text
}

const WRAPS = [
  /^- (.*)$/,
  /^Last answer: (.*)$/,
  new RegExp(`^${KNOWN}(.*)$`),
  /^You said (“.*)\. (?:I have noted it|I do not see an answer in my context)\.$/,
  /^“(.*)”$/,
]
const MOST_WRAPS = 12

/** What was said, out of what this assistant has made of it: answers and summaries quote. */
function unwrapped(line: string): string {
  let text = line
  for (let depth = 0; depth < MOST_WRAPS; depth += 1) {
    const inner = WRAPS.map((wrap) => wrap.exec(text)?.[1]).find((each) => each !== undefined)
    if (inner === undefined) return text
    text = inner
  }
  return text
}

function wordsIn(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  const meant = words.filter((word) => !EMPTY.has(word))
  return new Set(meant.map((word) => (word.length > 3 ? word.replace(/s$/, '') : word)))
}

const EXAM = /<context>\n([\s\S]*)\n<\/context>([\s\S]*)$/
const NUMBERED = /^(\d{1,3})\. (.+)$/gm
const ANSWER_CHARS = 300

/** For `precis exam`: to each numbered question the line of the context that shares most words with it. */
export function answerExam(text: string): string | undefined {
  const [, context = '', rest = ''] = EXAM.exec(text) ?? []
  const asked = [...rest.matchAll(NUMBERED)]
  if (asked.length === 0) return undefined
  const lines = context.split('\n').map((line) => ({ line, words: new Set(examWords(line)) }))
  return asked
    .map(([, number = '', question = '']) => {
      const wanted = examWords(question)
      let best = { line: '?', shared: 0 }
      for (const { line, words } of lines) {
        const shared = wanted.filter((word) => words.has(word)).length
        if (shared > best.shared) best = { line, shared }
      }
      return `${number}: ${best.line.slice(0, ANSWER_CHARS)}`
    })
    .join('\n')
}

function examWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_./-]{4,}/gu) ?? []
}
