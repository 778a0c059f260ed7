// Answers questions from the context: the newest line with the words of the question.
import { type Asked, type AskedPart, isNote } from '../asked.ts'
import { quoted } from './summary.ts'

const UNKNOWN = 'I do not see'

const KNOWN = 'From my context: '

const QUESTION =
  /^(?:what|which|who|where)(?: is| are| was| were|['’]s) (?:the |my |our )?(.+?)\?$/i

const REQUEST = /^(?:please )?(?:tell me|remind me of|give me|name) (?:the |my |our )?(.+?)[.!]?$/i

/** Question words without content. */
const EMPTY = new Set(
  'a an and are at did do does for from has have how i in is it many me much my name number of on or our please say tell that the there this to use value was we were what when where which who why with you your'.split(
    ' ',
  ),
)

/** Longer lines are split into sentences. */
const LONG_LINE = 200

const MAX_LINES = 20_000

/** Undefined if nothing is asked. Cannot answer what a compaction lost. */
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

/** The line with most of the words; the newest of several. */
function bestLine(
  asked: Asked,
  at: number,
  said: string,
  wanted: ReadonlySet<string>,
): string | undefined {
  // Both of two words, two thirds of more; otherwise the line is about something else.
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

/** Everything sent up to the question, including what opens a session in the same turn. */
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

/** The original words in this assistant's answers and summaries, which quote. */
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

/** For `precis exam`: answers each numbered question with the line that shares most words. */
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
