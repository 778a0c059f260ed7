// Patterns with stars, for texts and paths.

/** `*` matches any characters, also none; others match themselves. */
export function matchesText(pattern: string, text: string): boolean {
  return matchesList([...pattern], [...text], isStar, (one, other) => one === other)
}

/**
 * `*` stays between slashes; a whole `**` matches any number of folders, also none. Pattern and path must
 * both be absolute or both relative.
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
 * Matches a list against a pattern with wildcard parts. Each wildcard takes as little as possible, and one
 * more when the rest does not match; only the last is retried.
 */
export function matchesList<P, T>(
  pattern: readonly P[],
  items: readonly T[],
  isAny: (part: P) => boolean,
  fits: (part: P, item: T) => boolean,
): boolean {
  let at = 0
  let item = 0
  let star = -1 // the last star, and how far it reaches
  let taken = 0
  while (item < items.length) {
    const part = pattern[at] as P // not used beyond the end
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
