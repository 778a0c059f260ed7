// The index of a brief: likely names that no chosen line has, with the entry they were last in
import type { EntryId } from '../../core/edit/change.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import { knownTerms } from './candidates.ts'
import type { Coverage } from './coverage.ts'
import { type Digest, type Group, readRef } from './digest.ts'
import type { Line } from './lines.ts'
import { TERM_KINDS } from './terms.ts'

export interface NamesAt {
  readonly ref: EntryId
  readonly names: readonly string[]
}

const INDEXED = new Set(
  TERM_KINDS.flatMap((kind, number) =>
    kind === 'identifier' || kind === 'joined' || kind === 'path' ? [number] : [],
  ),
)
/** Variables of a shell, pieces of a colour code, and what is too short to look for. */
const NOISE = /^\$|^\d{1,3}m\p{Lu}|^.{1,3}$/u
const LEAST_WORTH = 0.05
const LONGEST_CHARS = 120
const REF_TOKENS = 7
const CHARS_PER_TOKEN = 3

/** The likeliest for their price, by the entry that they were last seen in, in its order. */
export function namesIndex(digest: Digest, coverage: Coverage, roomTokens: number): NamesAt[] {
  const { kinds, names, lastLine } = digest.vocabulary
  // By the length alone, which is near enough to put thousands of names in order.
  const worth = (number: number) =>
    coverage.worth(number) / ((names[number] as string).length / CHARS_PER_TOKEN + 2)
  const likely: number[] = []
  kinds.forEach((kind, number) => {
    const { length } = names[number] as string
    if (NOISE.test(names[number] as string)) return
    if (INDEXED.has(kind) && length <= LONGEST_CHARS && coverage.worth(number) >= LEAST_WORTH)
      likely.push(number)
  })
  const ratios = new Map(likely.map((number) => [number, worth(number)]))
  likely.sort((a, b) => (ratios.get(b) ?? 0) - (ratios.get(a) ?? 0) || a - b)
  const byGroup = new Map<number, string[]>()
  let room = roomTokens
  for (const number of likely) {
    // A longer name that was taken before may have it in it.
    if (coverage.worth(number) < LEAST_WORTH) continue
    const name = names[number] as string
    const { group } = digest.lines[lastLine[number] as number] as Line
    const others = byGroup.get(group)
    const cost = estimateTokens(name) + 1 + (others ? 0 : REF_TOKENS)
    if (cost > room) continue
    room -= cost
    if (others) others.push(name)
    else byGroup.set(group, [name])
    coverage.take(coverage.counted(knownTerms(digest, name)))
  }
  return [...byGroup]
    .sort(([one], [other]) => one - other)
    .map(([group, found]) => ({ ref: readRef(digest.groups[group] as Group), names: found }))
}
