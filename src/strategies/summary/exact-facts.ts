// Exact facts in a text: numbers, paths, identifiers, addresses and hashes, as written.

const LONGEST_CHARS = 160

/** Separates words in prose and Markdown. */
const APART = /[\s"'`“”‘’«»()[\]{}<>|,;!?*=。，、；：（）「」]+/u

const EDGES = /^[.:#/@~-]+(?=[\p{L}\p{N}])|[.:#~-]+$/gu

/** Two digits in a row, a digit next to a letter, a mark unusual in prose, or an inner capital. */
const EXACT = /\d{2}|\p{L}\d|\d\p{L}|\w_\w|\w\/\w|\w\.\p{L}|\p{Ll}\p{Lu}/u

/** Refs in our own notes are not facts. */
const REF = /^ref:/

export function exactFacts(text: string): Set<string> {
  const facts = new Set<string>()
  for (const word of text.split(APART)) {
    const bare = word.length <= LONGEST_CHARS ? word.replace(EDGES, '') : ''
    if (bare.length > 1 && EXACT.test(bare) && !REF.test(bare)) facts.add(bare)
  }
  return facts
}

/** How many of them occur in these texts, alone or inside another. */
export function countKept(facts: ReadonlySet<string>, texts: readonly string[]): number {
  const found = new Set(texts.flatMap((text) => [...exactFacts(text)]))
  let kept = 0
  for (const fact of facts) if (found.has(fact)) kept += 1
  return kept
}
