// Which of many strings stand in a text, found in one pass over it (Rabin and Karp's rolling hash).

/** So many characters at the start of each pattern are hashed; shorter ones cannot be looked for. */
export const SHORTEST_PATTERN = 8
const RADIX = 257
const MODULUS = 8_388_593 // a prime; hash × radix stays a whole number of 32 bits and more in a double
const LEADING = Array.from({ length: SHORTEST_PATTERN - 1 }).reduce<number>(
  (power) => (power * RADIX) % MODULUS,
  1,
)

export class VerbatimSearch {
  readonly #byHash = new Map<number, string[]>()
  readonly size: number

  constructor(patterns: Iterable<string>) {
    const distinct = new Set(patterns)
    this.size = distinct.size
    for (const pattern of distinct) {
      if (pattern.length < SHORTEST_PATTERN) continue
      const hash = hashAt(pattern, 0)
      this.#byHash.set(hash, [...(this.#byHash.get(hash) ?? []), pattern])
    }
  }

  /** Adds the patterns that stand in the text to `found`. */
  collect(text: string, found: Set<string>): void {
    if (this.#byHash.size === 0 || text.length < SHORTEST_PATTERN) return
    let hash = hashAt(text, 0)
    for (let start = 0; ; start += 1) {
      const candidates = this.#byHash.get(hash)
      if (candidates)
        for (const pattern of candidates)
          if (!found.has(pattern) && text.startsWith(pattern, start)) found.add(pattern)
      const next = start + SHORTEST_PATTERN
      if (next >= text.length) return
      const shed = (hash + MODULUS - ((text.charCodeAt(start) * LEADING) % MODULUS)) % MODULUS
      hash = (shed * RADIX + text.charCodeAt(next)) % MODULUS
    }
  }
}

function hashAt(text: string, start: number): number {
  let hash = 0
  for (let at = start; at < start + SHORTEST_PATTERN; at += 1)
    hash = (hash * RADIX + text.charCodeAt(at)) % MODULUS
  return hash
}
