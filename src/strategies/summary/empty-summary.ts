// Detects a useless summary: too few facts, too few words, or repeated lines.
import { withoutHeadings } from '../../core/edit/gate-summary.ts'
import { countKept } from './exact-facts.ts'

interface SummaryFacts {
  /** The model's own text. */
  readonly written: string
  /** The exact facts of what is removed. */
  readonly facts: ReadonlySet<string>
  readonly inBrief: number // how many of them an equally large brief keeps
}

/** With fewer facts there is no basis for a judgement. */
const LEAST_FACTS = 5

/** Relative to a brief; one value may occur by chance. */
const LEAST_SHARE = 0.02

/** Without facts, only an empty text is useless. */
const NOTHING =
  /^[\s\p{P}]*(?:nothing(?: new| else)?(?: to (?:add|report|summari[sz]e))?|none|done|ok(?:ay)?|(?:incorporated|summari[sz]ed|updated|folded|merged)(?: (?:everything|it all|all|it))?)[\s\p{P}]*$/iu

/** Fewer words cannot state goal, reasons, approach and next step. */
const LEAST_PROSE_WORDS = 5

/** Why it is useless; undefined if it is not. */
export function worthless({ written, facts, inBrief }: SummaryFacts): string | undefined {
  const loop = repeatsItself(written)
  if (loop !== undefined) return loop
  const kept = countKept(facts, [written])
  if (kept >= Math.max(1, inBrief * LEAST_SHARE)) return undefined
  if (inBrief >= LEAST_FACTS) return `it keeps ${kept} of ${facts.size} exact facts`
  return NOTHING.test(withoutHeadings(written)) ? 'it says nothing' : undefined
}

/** Fewer lines cannot repeat too often. */
const LEAST_LINES = 20

const MOST_REPEATED = 0.5

/** Some models repeat the same lines until they are stopped. */
function repeatsItself(written: string): string | undefined {
  const lines = written.split('\n').filter((line) => line.trim() !== '')
  const different = [...new Set(lines)].join('\n').length
  if (lines.length < LEAST_LINES || different > lines.join('\n').length * MOST_REPEATED)
    return undefined
  return `it says the same lines again and again: ${new Set(lines).size} of ${lines.length} are different`
}

/** For text beside facts by code. */
export function tooFewWords(written: string): string | undefined {
  const words = countWords(withoutHeadings(written))
  return words < LEAST_PROSE_WORDS ? `it has ${words} different words` : undefined
}

/** Distinct words; without blanks, each character counts. */
function countWords(text: string): number {
  const words = text.toLowerCase().match(/\p{Script=Han}|\p{Script=Thai}{3}|[\p{L}\p{M}]{2,}/gu)
  return new Set(words).size
}

/** For the agent's own summary, which it can rewrite: only clearly useless ones. */
const CLEARLY = 10

const LEAST_OWN_WORDS = 3

/** Few enough facts to be useless at any length: a plan, a question, an answer to the request. */
const CERTAINLY = 60

const EXAMPLES = 3

export function clearlyWorthless(written: string, facts: ReadonlySet<string>): string | undefined {
  const loop = repeatsItself(written)
  if (loop !== undefined) return loop
  const isLong = countWords(withoutHeadings(written)) >= LEAST_OWN_WORDS
  if (facts.size < (isLong ? CERTAINLY : CLEARLY) || countKept(facts, [written]) > 0)
    return undefined
  const examples = [...facts].slice(-EXAMPLES).join(', ')
  return `it has none of ${facts.size} exact names and values, such as ${examples}`
}
