// Detects a summary that says nothing: too few facts, too few words, or the same lines again
import { withoutHeadings } from '../../core/edit/gate-summary.ts'
import { countKept } from './exact-facts.ts'

interface SummaryFacts {
  /** As the model wrote it, without what code adds. */
  readonly written: string
  /** The exact facts of what goes. */
  readonly facts: ReadonlySet<string>
  readonly inBrief: number // how many of them a brief of the same size keeps
}

/** With fewer facts than this there is nothing to judge by. */
const LEAST_FACTS = 5

/** Of what a brief keeps; one value may be there by chance. */
const LEAST_SHARE = 0.02

/** Without facts to judge by, only what says nothing at all is of no use. */
const NOTHING =
  /^[\s\p{P}]*(?:nothing(?: new| else)?(?: to (?:add|report|summari[sz]e))?|none|done|ok(?:ay)?|(?:incorporated|summari[sz]ed|updated|folded|merged)(?: (?:everything|it all|all|it))?)[\s\p{P}]*$/iu

/** Goal, reasons, approach and next step are not told in fewer. */
const LEAST_PROSE_WORDS = 5

/** Why it is of no use; undefined where it is of some. */
export function worthless({ written, facts, inBrief }: SummaryFacts): string | undefined {
  const loop = repeatsItself(written)
  if (loop !== undefined) return loop
  const kept = countKept(facts, [written])
  if (kept >= Math.max(1, inBrief * LEAST_SHARE)) return undefined
  if (inBrief >= LEAST_FACTS) return `it keeps ${kept} of ${facts.size} exact facts`
  return NOTHING.test(withoutHeadings(written)) ? 'it says nothing' : undefined
}

/** In fewer lines nothing is said too often. */
const LEAST_LINES = 20

const MOST_REPEATED = 0.5

/** Some models do not find an end, and say the same lines until they are stopped. */
function repeatsItself(written: string): string | undefined {
  const lines = written.split('\n').filter((line) => line.trim() !== '')
  const different = [...new Set(lines)].join('\n').length
  if (lines.length < LEAST_LINES || different > lines.join('\n').length * MOST_REPEATED)
    return undefined
  return `it says the same lines again and again: ${new Set(lines).size} of ${lines.length} are different`
}

/** For what stands beside facts that code has written. */
export function tooFewWords(written: string): string | undefined {
  const words = countWords(withoutHeadings(written))
  return words < LEAST_PROSE_WORDS ? `it has ${words} different words` : undefined
}

/** Different ones; where words are not apart, a character counts as one. */
function countWords(text: string): number {
  const words = text.toLowerCase().match(/\p{Script=Han}|\p{Script=Thai}{3}|[\p{L}\p{M}]{2,}/gu)
  return new Set(words).size
}

/** For a summary of the agent's own, which it can write again: only what is clearly of no use. */
const CLEARLY = 10

const LEAST_OWN_WORDS = 3

/** With so many it is of no use, however many words it has: a plan, a question, an answer to the request. */
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
