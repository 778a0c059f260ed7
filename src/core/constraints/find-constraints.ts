// Finds what a user said in passing and wants heeded from then on: prohibitions, rules, limits, corrections.
import type { Cues } from './cue.ts'
import { ENGLISH } from './english.ts'
import { LANGUAGES } from './languages.ts'
import { sentencesOf } from './sentences.ts'

const ALL: readonly Cues[] = [ENGLISH, ...LANGUAGES]
const QUESTION = /[?？]["')\]]*$|[吗呢][。]?$/u
/** Asks only whether it was understood. */
const TAG =
  /,? (?:ok|okay|right|alright|tá|certo|vale|va bene|d'accord|verstanden|ладно|хорошо)\?$/iu
/** Asked as a question, and yet no question. */
const POLITE =
  /\b(?:could|can|would|will) you (?:please |maybe |also )*(?:keep|stop|not|avoid|stick|always|only|leave|mind)\b/i
const CLAUSES =
  /[,;:—–，；、]\s*|\s-\s|\s(?:but|though|mais|aber|pero|mas|ma|но)\s|(?:但是|ただ|하지만|지만)/iu

/** The sentences that bind, each once and as it was typed, in order. */
export function findConstraints(text: string): string[] {
  return [...new Set(sentencesOf(text).filter(isBinding))]
}

/**
 * A sentence may be about something else for the most part: it is looked at as a whole, and clause by
 * clause. What frees one clause does not free the others.
 */
function isBinding(sentence: string): boolean {
  const plain = withApostrophes(sentence)
  const cues = languagesOf(plain)
  const clauses = plain.split(CLAUSES).map((each) => each.trim())
  if (QUESTION.test(plain) && !TAG.test(plain)) return POLITE.test(plain)
  return [plain, ...clauses.filter((each) => each.length >= 3)].some((unit) =>
    cues.some((each) => binds(each, unit) && !matches(each.frees, unit)),
  )
}

function binds({ binds: strong, weak, subject }: Cues, unit: string): boolean {
  return matches(strong, unit) || ((weak?.test(unit) ?? false) && !subject?.test(unit))
}

function withApostrophes(sentence: string): string {
  return sentence
    .replaceAll(/[’‘]/g, "'")
    .replaceAll(/"[^"]{2,}"|`[^`]* [^`]*`|(?<!\p{L})'[^']{3,}'(?!\p{L})/gu, 'it') // what others say
    .replaceAll('`', '')
    .replaceAll(/\b(do|ca|wo|is|are|should|must|does|did|could|would|have)nt\b/gi, "$1n't")
}

/** Those whose frequent words are in it most often; English where it is among them or none is known. */
function languagesOf(sentence: string): readonly Cues[] {
  const counts = ALL.map(({ words }) => sentence.match(words)?.length ?? 0)
  const most = Math.max(...counts)
  if (counts[0] === most) return [ENGLISH]
  return ALL.filter((_, at) => counts[at] === most)
}

function matches(patterns: readonly RegExp[], text: string): boolean {
  return patterns.some((pattern) => pattern.test(text))
}
