// Patterns with stars, for texts and for paths

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
