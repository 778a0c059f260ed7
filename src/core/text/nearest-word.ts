// The known word nearest to a mistyped one.

/** More edits than this, or than a third of the word, are not a typo. */
const MAX_SLIPS = 3

/** The known word probably meant by a mistyped one. */
export function nearestWord(word: string, known: Iterable<string>): string | undefined {
  const limit = Math.min(MAX_SLIPS, Math.max(1, Math.floor(word.length / 3)))
  let nearest: string | undefined
  let least = limit + 1
  for (const candidate of known) {
    if (Math.abs(word.length - candidate.length) >= least) continue // a word may be a megabyte long
    const slips = distance(word.toLowerCase(), candidate.toLowerCase())
    if (slips >= least) continue
    least = slips
    nearest = candidate
  }
  return nearest
}

/** Levenshtein distance, keeping only the previous row. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= to.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}
