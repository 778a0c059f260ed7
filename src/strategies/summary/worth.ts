// Whether a summary says anything of what it replaces: by its exact facts, and by how many words it has.
import { countKept } from './checks.ts'

export interface Judged {
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
/** A page or more is not told in fewer words, in any language. */
const LEAST_WORDS = 8

/** Why it is of no use; undefined where it is of some. */
export function worthless({ written, facts, inBrief }: Judged): string | undefined {
  const kept = countKept(facts, [written])
  if (kept >= Math.max(1, inBrief * LEAST_SHARE)) return undefined
  if (inBrief >= LEAST_FACTS) return `it keeps ${kept} of ${facts.size} exact facts`
  const words = countWords(written)
  return words < LEAST_WORDS ? `it has ${words} different words` : undefined
}

/** Different ones; where words are not apart, a character counts as one. */
function countWords(text: string): number {
  const words = text.toLowerCase().match(/\p{Script=Han}|\p{Script=Thai}{3}|[\p{L}\p{M}]{3,}/gu)
  return new Set(words).size
}

/** For a summary of the agent's own, which it can write again: only what is clearly of no use. */
const CLEARLY = 10
const EXAMPLES = 3

export function clearlyWorthless(written: string, facts: ReadonlySet<string>): string | undefined {
  if (facts.size < CLEARLY || countKept(facts, [written]) > 0) return undefined
  const examples = [...facts].slice(-EXAMPLES).join(', ')
  return `none of its ${facts.size} exact names and values, such as ${examples}`
}
