// The cues of one language, as data

/**
 * `binds` are ways of saying what must, must not or should always be; `frees` are ways in which the same
 * words bind nobody; `words` are frequent ones by which the language is known.
 */
export interface Cues {
  readonly words: RegExp
  /** Words that bind where someone is told what to do, and only tell where someone tells what is. */
  readonly weak?: RegExp
  /** How a clause begins that tells what is. */
  readonly subject?: RegExp
  readonly binds: readonly RegExp[]
  readonly frees: readonly RegExp[]
}

const BEFORE = String.raw`(?:^|[,;:(—–]\s*|\s-\s|\b(?:and|but|so|then|also|because|just|though|still|btw|und|aber|please|pls|plz)\s+)`
const GREETING = String.raw`(?:(?:ok|okay|also|oh|hey|yes|yeah|and|but|so|btw|note|important|reminder|fyi|ps|please|pls|just|bitte)\b[\s,:.!-]*){0,3}`

/** At the beginning of a sentence or of one of its clauses. */
export function clause(source: string): RegExp {
  return new RegExp(`${BEFORE}${GREETING}(?:${source})(?![\\p{L}])`, 'iu')
}
