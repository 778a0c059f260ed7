// Lazy greedy selection: the lines that add most per token, within a budget.
import type { Coverage } from './coverage.ts'

export interface Candidate {
  readonly terms: Int32Array
  readonly tokens: number
  readonly group: number
  /** A factor for what it adds. */
  readonly weight: number
}

/** The first line of a group also needs a heading. */
export interface CandidateGroup {
  readonly openTokens: number
  readonly headTerms: Int32Array
  /** It may take all the room. */
  readonly isUnlimited?: boolean
}

/** A message's or result's maximum share, except for an earlier brief. */
const GROUP_SHARE = 0.25
const LEAST_GROUP_TOKENS = 600

interface OpenableGroup extends Partial<CandidateGroup> {
  readonly members: number[]
  isOpen: boolean // its heading is present, or not needed
  tokens: number // tokens selected of it
}

interface Waiting {
  readonly candidate: number
  readonly ratio: number // an upper bound
}

/** Continues where it stopped when given more room. */
export class Selection {
  readonly chosen: number[] = [] // candidates in order of selection
  /** Number of evaluations. */
  steps = 0
  readonly #candidates: readonly Candidate[]
  readonly #coverage: Coverage
  readonly #isChosen: Uint8Array
  readonly #heap: Waiting[]
  #mostTokens: number | undefined
  #setAside: Waiting[] = [] // too large for the room at that time
  readonly #groups: OpenableGroup[] = []
  /** By candidate: the index of its group. */
  readonly #groupOf: Int32Array

  constructor(
    candidates: readonly Candidate[],
    groups: ReadonlyMap<number, CandidateGroup>,
    coverage: Coverage,
  ) {
    this.#candidates = candidates
    this.#coverage = coverage
    this.#isChosen = new Uint8Array(candidates.length)
    this.#groupOf = new Int32Array(candidates.length)
    const places = new Map<number, number>()
    candidates.forEach(({ group }, candidate) => {
      const place = places.get(group) ?? this.#groups.length
      if (place === this.#groups.length) {
        places.set(group, place)
        this.#groups.push({
          ...groups.get(group),
          members: [],
          isOpen: !groups.has(group),
          tokens: 0,
        })
      }
      this.#groupOf[candidate] = place
      this.#groups[place]?.members.push(candidate)
    })
    this.#heap = candidates.map(({ terms, tokens, weight }, candidate) => {
      const { headTerms } = this.#group(candidate)
      const most = coverage.bound(terms) + (headTerms ? coverage.bound(headTerms) : 0)
      return { candidate, ratio: (weight * most) / Math.max(1, tokens) }
    })
    for (let at = this.#heap.length >> 1; at >= 0; at -= 1) sink(this.#heap, at)
  }

  /** Selects until nothing fits, and returns the remaining tokens. */
  fill(roomTokens: number): number {
    let room = roomTokens
    this.#mostTokens ??= Math.max(LEAST_GROUP_TOKENS, roomTokens * GROUP_SHARE)
    for (const waiting of this.#setAside) push(this.#heap, waiting)
    this.#setAside = []
    for (let top = pop(this.#heap); top !== undefined; top = pop(this.#heap)) {
      this.steps += 1
      const { candidate } = top
      if (this.#isChosen[candidate]) continue
      const tokens = this.#cost(candidate)
      const { isOpen, openTokens, tokens: taken, isUnlimited } = this.#group(candidate)
      const isSource = !isUnlimited && (openTokens !== undefined || !isOpen)
      if (tokens > room || (isSource && taken + tokens > this.#mostTokens)) {
        this.#setAside.push(top)
        continue
      }
      const ratio = this.#gain(candidate) / Math.max(1, tokens)
      if (ratio <= 0) continue
      if (ratio < (this.#heap[0]?.ratio ?? 0)) {
        push(this.#heap, { candidate, ratio })
        continue
      }
      room -= tokens
      this.#choose(candidate)
    }
    return room
  }

  /** Removes the latest selections until this many tokens are free. */
  drop(tokens: number): void {
    let missing = tokens
    for (let last = this.chosen.pop(); last !== undefined; last = this.chosen.pop()) {
      missing -= Math.max(1, (this.#candidates[last] as Candidate).tokens)
      if (missing <= 0) break
    }
  }

  #group(candidate: number): OpenableGroup {
    return this.#groups[this.#groupOf[candidate] as number] as OpenableGroup
  }

  #cost(candidate: number): number {
    const { tokens } = this.#candidates[candidate] as Candidate
    const { isOpen, openTokens = 0 } = this.#group(candidate)
    return isOpen ? tokens : tokens + openTokens
  }

  #gain(candidate: number): number {
    const { terms, weight } = this.#candidates[candidate] as Candidate
    const { isOpen, headTerms } = this.#group(candidate)
    const head = isOpen || !headTerms ? 0 : this.#coverage.gain(headTerms)
    return weight * (this.#coverage.gain(terms) + head)
  }

  #choose(candidate: number): void {
    const group = this.#group(candidate)
    this.#isChosen[candidate] = 1
    this.chosen.push(candidate)
    group.tokens += this.#cost(candidate)
    this.#coverage.take((this.#candidates[candidate] as Candidate).terms)
    if (group.isOpen) return
    group.isOpen = true
    if (group.headTerms) this.#coverage.take(group.headTerms)
    // The group's other lines are now cheaper.
    for (const other of group.members) {
      if (this.#isChosen[other]) continue
      const ratio = this.#gain(other) / Math.max(1, this.#cost(other))
      push(this.#heap, { candidate: other, ratio })
    }
  }
}

function byRatio(one: Waiting, other: Waiting): number {
  return other.ratio - one.ratio || one.candidate - other.candidate
}

function push(heap: Waiting[], waiting: Waiting): void {
  let at = heap.push(waiting) - 1
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (byRatio(heap[parent] as Waiting, waiting) <= 0) break
    heap[at] = heap[parent] as Waiting
    at = parent
  }
  heap[at] = waiting
}

function pop(heap: Waiting[]): Waiting | undefined {
  const top = heap[0]
  const last = heap.pop()
  if (top === undefined || last === undefined || heap.length === 0) return top
  heap[0] = last
  sink(heap, 0)
  return top
}

/** Restores the heap order downwards. */
function sink(heap: Waiting[], from: number): void {
  const sinking = heap[from]
  if (sinking === undefined) return
  let at = from
  for (;;) {
    let child = 2 * at + 1
    if (child >= heap.length) break
    const right = heap[child + 1]
    if (right !== undefined && byRatio(right, heap[child] as Waiting) < 0) child += 1
    if (byRatio(sinking, heap[child] as Waiting) <= 0) break
    heap[at] = heap[child] as Waiting
    at = child
  }
  heap[at] = sinking
}
