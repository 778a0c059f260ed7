// Patterns with stars, and the known word nearest to a mistyped one.
/** `*` stands for any characters, none included; all others for themselves. */
export function matchesText(pattern: string, text: string): boolean {
  return matchesList([...pattern], [...text], isStar, (one, other) => one === other)
}

/**
 * Between two slashes `*` stays within them; a whole `**` stands for any number of folders, none
 * included. Both must be of one kind: beginning with a slash or not.
 */
export function matchesPath(pattern: string, path: string): boolean {
  return matchesList(
    pattern.split('/'),
    path.split('/'),
    (part) => part === '**',
    (part, name) => matchesText(part, name),
  )
}

function isStar(character: string): boolean {
  return character === '*'
}

/**
 * Matches a list against a pattern in which some parts stand for any run. It takes as little as it can
 * for each of these, and one more whenever the rest does not fit; only the last is ever tried again.
 */
export function matchesList<P, T>(
  pattern: readonly P[],
  items: readonly T[],
  isAny: (part: P) => boolean,
  fits: (part: P, item: T) => boolean,
): boolean {
  let at = 0
  let item = 0
  let star = -1 // the last star passed, and up to where it has taken
  let taken = 0
  while (item < items.length) {
    const part = pattern[at] as P // behind the end it is not looked at
    const isThere = at < pattern.length
    if (isThere && isAny(part)) {
      star = at
      taken = item
      at += 1
    } else if (isThere && fits(part, items[item] as T)) {
      at += 1
      item += 1
    } else if (star >= 0) {
      taken += 1
      item = taken
      at = star + 1
    } else return false
  }
  return pattern.slice(at).every(isAny)
}

/** More slips than this, or than a third of the word, and it is no slip of the finger. */
const MAX_SLIPS = 3

/** The known word that a mistyped one was probably meant to be. */
export function nearestWord(word: string, known: Iterable<string>): string | undefined {
  const limit = Math.min(MAX_SLIPS, Math.max(1, Math.floor(word.length / 3)))
  let nearest: string | undefined
  let least = limit + 1
  for (const candidate of known) {
    const slips = distance(word.toLowerCase(), candidate.toLowerCase())
    if (slips >= least) continue
    least = slips
    nearest = candidate
  }
  return nearest
}

/** Letters to add, to remove or to change (Levenshtein). Only the row before is kept. */
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
