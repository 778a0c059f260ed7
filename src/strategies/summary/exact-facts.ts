// Exact facts in a text: numbers, paths, identifiers, addresses and hashes, as they are written.

const LONGEST_CHARS = 160

/** What stands around a word in prose and in markdown. */
const APART = /[\s"'`“”‘’«»()[\]{}<>|,;!?*=。，、；：（）「」]+/u

const EDGES = /^[.:#/@~-]+(?=[\p{L}\p{N}])|[.:#~-]+$/gu

/** Two digits in a row, or a digit beside a letter; a mark that prose does not use; a capital inside. */
const EXACT = /\d{2}|\p{L}\d|\d\p{L}|\w_\w|\w\/\w|\w\.\p{L}|\p{Ll}\p{Lu}/u

/** What our own notes point with is nothing that was said. */
const REF = /^ref:/

export function exactFacts(text: string): Set<string> {
  const facts = new Set<string>()
  for (const word of text.split(APART)) {
    const bare = word.length <= LONGEST_CHARS ? word.replace(EDGES, '') : ''
    if (bare.length > 1 && EXACT.test(bare) && !REF.test(bare)) facts.add(bare)
  }
  return facts
}

/** How many of them stand in these texts, each by itself or in another one. */
export function countKept(facts: ReadonlySet<string>, texts: readonly string[]): number {
  const found = new Set(texts.flatMap((text) => [...exactFacts(text)]))
  let kept = 0
  for (const fact of facts) if (found.has(fact)) kept += 1
  return kept
}
