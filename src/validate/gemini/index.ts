// The rules of Gemini: VALID-G1 to -G6 of docs/spec/valid.md, alternation, and well-formed text.
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import { type Rule, rule, textsAreWellFormed } from '../rule.ts'
import { isGiven, readFields, readList, readText } from '../walk.ts'

/** `function` is the older role name for function responses. */
const ROLES: ReadonlySet<string | undefined> = new Set(['user', 'model', 'function'])

/**
 * Read strictly: a request without contents has no first one, a missing role is not `user`, and an unknown
 * role is nobody's.
 */
const userOpens = rule('VALID-G1', ({ request }, report) => {
  const [first, ...others] = readContents(request)
  if (!first) report('contents', 'there are no contents')
  else if (first.role !== 'user') report(first.where, 'the first content is not the user’s')
  for (const { where, role } of others) {
    if (!ROLES.has(role)) report(where, 'the role is neither user nor model')
  }
})

/** Older models reject consecutive roles; later ones merge them. */
const rolesAlternate = rule('VALID-A3', ({ request, profile }, report) => {
  if (!profile.strict) return
  let before: string | undefined
  for (const { where, role } of readContents(request)) {
    if (role !== undefined && role === before) report(where, `two contents of the ${role} in a row`)
    before = role
  }
})

/** The user does not call. */
const callFollowsUser = rule('VALID-G2', ({ request }, report) => {
  const contents = readContents(request)
  for (const [index, { where, role, parts }] of contents.entries()) {
    if (!parts.some(isCall)) continue
    const before = contents[index - 1]
    if (role === 'user' || !before || before.role === 'model') {
      report(where, 'a function call comes right after the user or a function response')
    }
  }
})

/** Only counts and roles matter: names and ids of responses are not compared. */
const everyCallIsAnswered = rule('VALID-G3', ({ request }, report) => {
  const contents = readContents(request)
  let before = contents[0]
  let called = 0
  for (const content of contents) {
    const answered = content.parts.filter(isResponse).length
    if (answered !== called) {
      report(content.where, `${answered} function responses to ${called} function calls`)
    } else if (answered > 0 && content.role === 'model') {
      report(content.where, 'the model does not answer its own function calls')
    }
    called = content.parts.filter(isCall).length
    before = content
  }
  if (before && called > 0) report(before.where, 'no content answers these function calls')
})

const modelDoesNotClose = rule('VALID-G6', ({ request }, report) => {
  const last = readContents(request).at(-1)
  if (last?.role === 'model') report(last.where, 'the request ends on a turn of the model')
})

const TURN_RULES: readonly Rule[] = [
  userOpens,
  rolesAlternate,
  callFollowsUser,
  everyCallIsAnswered,
  modelDoesNotClose,
]

/** Fields next to a part's data that are not data. */
const MARKS: ReadonlySet<string> = new Set([
  'thought',
  'thoughtSignature',
  'thought_signature',
  'partMetadata',
  'part_metadata',
  'videoMetadata',
  'video_metadata',
  'mediaResolution',
  'media_resolution',
])

/**
 * Each content of the model in the current turn is a step, also two in a row. The body does not name the
 * model: read strictly, it is a Gemini 3, unless the profile says that it does not think. Whether a signature
 * is correct cannot be checked.
 */
const callsAreSigned = rule('VALID-G4', ({ request, profile }, report) => {
  if (profile.thinkingEnabled === false) return
  const contents = readContents(request)
  const start = contents.findLastIndex(opensTurn)
  for (const { parts } of contents.slice(start + 1)) {
    const first = parts.find(isCall)
    if (first && !isSigned(first)) {
      report(first.where, 'the first function call of a step carries its thoughtSignature')
    }
  }
})

/** An empty text with a signature is the end of a streamed answer, and stays. */
const partsAreNotEmpty = rule('VALID-G5', ({ request, profile }, report) => {
  const { systemInstruction, system_instruction } = readFields(request)
  const systems = Object.entries({ systemInstruction, system_instruction }).flatMap(
    ([where, value]) => (isGiven(value) ? [readContent(value, where)] : []),
  )
  for (const { where, parts } of [...systems, ...readContents(request)]) {
    if (parts.length === 0) report(where, 'a content has parts')
    for (const part of parts) {
      if (isEmpty(part, profile.strict)) report(part.where, 'the part says nothing')
    }
  }
})

/** The parts of a Gemini content: none empty, and signatures in their original places. */
const PART_RULES: readonly Rule[] = [callsAreSigned, partsAreNotEmpty]

/** A user content that does not only return function results. */
function opensTurn({ role, parts }: Content): boolean {
  return role === 'user' && parts.some((part) => !isResponse(part))
}

function isEmpty(part: Part, refusesBlank: boolean): boolean {
  const data = Object.entries(part.fields).filter(
    ([name, value]) => !MARKS.has(name) && value !== null,
  )
  const isSilent = data.every(
    ([name, value]) =>
      name === 'text' && (typeof value !== 'string' || !hasText(value, refusesBlank)),
  )
  const keepsSignature = data.length > 0 && isSigned(part)
  return isSilent && !keepsSignature
}

function hasText(text: string, refusesBlank: boolean): boolean {
  return refusesBlank ? /\S/.test(text) : text !== ''
}

/** A Gemini request for the rules: contents and parts with their places. */
interface Part {
  readonly where: string // `contents[2].parts[0]`
  readonly fields: Fields
}

interface Content {
  readonly where: string // `contents[2]`
  readonly role: string | undefined
  readonly parts: readonly Part[]
}

function readContents(request: Json): readonly Content[] {
  return readList(readFields(request).contents).map((value, index) =>
    readContent(value, `contents[${index}]`),
  )
}

function readContent(value: Json | undefined, where: string): Content {
  const fields = readFields(value)
  const parts = readList(fields.parts).map((part, index) => ({
    where: `${where}.parts[${index}]`,
    fields: readFields(part),
  }))
  return { where, role: readText(fields.role), parts }
}

/** The REST API reads names in camelCase and snake_case. */
function isCall({ fields }: Part): boolean {
  return isFields(fields.functionCall ?? fields.function_call)
}

function isResponse({ fields }: Part): boolean {
  return isFields(fields.functionResponse ?? fields.function_response)
}

function isSigned({ fields }: Part): boolean {
  const signature = fields.thoughtSignature ?? fields.thought_signature
  return typeof signature === 'string' && signature !== ''
}

export const GEMINI_RULES: readonly Rule[] = [...TURN_RULES, ...PART_RULES, textsAreWellFormed]
