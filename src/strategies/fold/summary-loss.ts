// Detects that an edit lost most of a summary, by its remaining words
import { countKept, exactFacts } from '../summary/exact-facts.ts'

/** Of the words that stood there, so many must be there afterwards. */
const LEAST_KEPT = 0.4
/** In fewer words hardly anything is said. */
const FEWEST_WORDS = 3
/** A summary of more words that says something else altogether has lost what it held, however long it is. */
const MANY_WORDS = 30

/** A few words may grow into others; many may not, and none may just go. */
export function losesMost(before: string, after: string): boolean {
  const held = wordsIn(before)
  if (held.size < FEWEST_WORDS) return false
  const left = wordsIn(after)
  const kept = [...held].filter((word) => left.has(word)).length / held.size
  if (kept >= LEAST_KEPT) return false
  return left.size < held.size || held.size >= MANY_WORDS || losesFacts(before, after)
}

/** What a short summary knew exactly does not grow into something else. */
function losesFacts(before: string, after: string): boolean {
  const facts = exactFacts(before)
  return facts.size > 0 && countKept(facts, [after]) < facts.size * LEAST_KEPT
}

/** Where words are not set apart, each character counts as one. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|[\p{L}\p{N}\p{M}_]+/gu

function wordsIn(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(WORD) ?? [])
}
