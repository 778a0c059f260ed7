// The coverage of selected lines: names, and pairs of nearby names.

/** The value of covering a name again. */
const AGAIN = 0.1
/** The weight of a pair relative to a name, and how it falls for unlikely names. */
const PAIR_WEIGHT = 0.4
const PAIR_POWER = 0.7
/** Maximum distance of a pair, in names. */
const PAIR_DISTANCE = 2
/** Less likely names are ignored. */
const LEAST_NEED = 0.01
const MOST_TERMS = 40
/** Pairs are stored by a hash of this many bits; collisions count as one pair. */
const FEWEST_PAIR_BITS = 16
const MOST_PAIR_BITS = 24
/** The approximate number of pairs per name, as a power of two. */
const PAIRS_OF_NAME_BITS = 6

export interface CoverageInput {
  readonly needs: Float64Array
  tellingOf(number: number): number
  isBinding(number: number): boolean
}

export class Coverage {
  readonly #needs: Float64Array
  readonly #telling: Float64Array
  readonly #single: Float64Array // value of covering a name once more
  readonly #paired: Float64Array // its part in a pair
  readonly #pairShift: number
  readonly #pairs: Uint32Array

  /** By name number: how likely it is needed, how much it tells, whether it forms pairs. */
  constructor({ needs, tellingOf, isBinding }: CoverageInput) {
    this.#needs = needs
    this.#telling = needs.map((_, number) => tellingOf(number))
    this.#single = needs.map((need, number) => need * (this.#telling[number] as number))
    this.#paired = needs.map((need, number) => (isBinding(number) ? need ** PAIR_POWER : 0))
    const wanted = Math.ceil(Math.log2(needs.length + 1)) + PAIRS_OF_NAME_BITS
    const bits = Math.min(MOST_PAIR_BITS, Math.max(FEWEST_PAIR_BITS, wanted))
    this.#pairShift = 32 - bits
    this.#pairs = new Uint32Array(1 << (bits - 5))
  }

  /** The relevant names of a line, in order, up to a limit. */
  counted(terms: Iterable<number>): Int32Array {
    const needs = this.#needs
    const likely: number[] = []
    for (const number of terms) if ((needs[number] as number) >= LEAST_NEED) likely.push(number)
    if (likely.length <= MOST_TERMS) return Int32Array.from(likely)
    const likeliest = likely.toSorted(
      (a, b) => (needs[b] as number) - (needs[a] as number) || a - b,
    )
    const kept = new Set(likeliest.slice(0, MOST_TERMS))
    return Int32Array.from(likely.filter((number) => kept.has(number)))
  }

  /** How likely a name is needed. */
  needOf(number: number): number {
    return this.#needs[number] as number
  }

  /** The value of this name once more. */
  worth(number: number): number {
    return this.#single[number] as number
  }

  /** The value of names without pairs: the fastest estimate. */
  worthOf(terms: Int32Array, from: number, to: number): number {
    let worth = 0
    for (let at = from; at < to; at += 1) worth += this.#single[terms[at] as number] as number
    return worth
  }

  /** Upper bound for a line with these names: as if no pair were covered. */
  bound(terms: Int32Array): number {
    return this.#sum(terms, false)
  }

  /** The value a line with these names adds. */
  gain(terms: Int32Array): number {
    return this.#sum(terms, true)
  }

  take(terms: Int32Array): void {
    for (let first = 0; first < terms.length; first += 1) {
      const one = terms[first] as number
      this.#single[one] = (this.#single[one] as number) * AGAIN
      const end = Math.min(terms.length, first + PAIR_DISTANCE + 1)
      for (let second = first + 1; second < end; second += 1) {
        const hash = this.#hash(one, terms[second] as number)
        this.#pairs[hash >>> 5] = (this.#pairs[hash >>> 5] as number) | (1 << (hash & 31))
      }
    }
  }

  #sum(terms: Int32Array, isNewOnly: boolean): number {
    let single = 0
    let pairs = 0
    for (let first = 0; first < terms.length; first += 1) {
      const one = terms[first] as number
      single += this.#single[one] as number
      const paired = this.#paired[one] as number
      const telling = this.#telling[one] as number
      const end = Math.min(terms.length, first + PAIR_DISTANCE + 1)
      for (let second = first + 1; second < end; second += 1) {
        const other = terms[second] as number
        if (isNewOnly && this.#isCovered(one, other)) continue
        const otherTelling = this.#telling[other] as number
        const tells = telling > otherTelling ? telling : otherTelling
        pairs += paired * (this.#paired[other] as number) * tells
      }
    }
    return single + PAIR_WEIGHT * pairs
  }

  #isCovered(one: number, other: number): boolean {
    const hash = this.#hash(one, other)
    return (((this.#pairs[hash >>> 5] as number) >>> (hash & 31)) & 1) === 1
  }

  #hash(one: number, other: number): number {
    const low = one < other ? one : other
    const high = one < other ? other : one
    let hash = Math.imul(low, 0x9e3779b1) ^ Math.imul(high, 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
    return (hash ^ (hash >>> 13)) >>> this.#pairShift
  }
}
