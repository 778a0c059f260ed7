// The parts of a Gemini content: none empty, and signatures where the model put them.
import { type Rule, rule } from '../rule.ts'
import { fieldsOf, isGiven } from '../walk.ts'
import {
  type Content,
  contentOf,
  contentsOf,
  isCall,
  isResponse,
  isSigned,
  type Part,
} from './contents.ts'

/** What stands beside the data of a part and is none itself. */
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
 * Each content of the model in the current turn is a step, also if two are in a row. Which
 * model is asked is not in the body: read strictly, it is a Gemini 3, unless the profile says
 * that it does not think. Whether a signature is the right one cannot be seen.
 */
const callsAreSigned = rule('VALID-G4', ({ request, profile }, report) => {
  if (profile.thinkingEnabled === false) return
  const contents = contentsOf(request)
  const start = contents.findLastIndex(opensTurn)
  for (const { parts } of contents.slice(start + 1)) {
    const first = parts.find(isCall)
    if (first && !isSigned(first)) {
      report(first.where, 'the first function call of a step carries its thoughtSignature')
    }
  }
})

/** An empty text that carries a signature is the end of a streamed answer, and stays. */
const partsAreNotEmpty = rule('VALID-G5', ({ request, profile }, report) => {
  const { systemInstruction, system_instruction } = fieldsOf(request)
  const systems = Object.entries({ systemInstruction, system_instruction }).flatMap(
    ([where, value]) => (isGiven(value) ? [contentOf(value, where)] : []),
  )
  for (const { where, parts } of [...systems, ...contentsOf(request)]) {
    if (parts.length === 0) report(where, 'a content has parts')
    for (const part of parts) {
      if (isEmpty(part, profile.strict)) report(part.where, 'the part says nothing')
    }
  }
})

export const PART_RULES: readonly Rule[] = [callsAreSigned, partsAreNotEmpty]

/** The user speaks, and does not only hand back what functions returned. */
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
