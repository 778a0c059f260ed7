// The ceiling: a policy that knows what will be needed, and takes the shortest stretches that hold it.
import type { Needs } from './needs.ts'
import type { Counter } from './pieces.ts'
import type { Policy } from './policy.ts'
import { type Present, presenceIn } from './presence.ts'
import { wantedOf } from './score.ts'

interface Stretch {
  readonly text: string
  readonly tokens: number
  readonly holds: readonly string[]
  /** What it would add to the two recalls, for each token. */
  readonly worth: number
}

/** Greedy. The best stretches stand at the end, where nothing is cut off. */
export const oracle: Policy = ({ cut: { needs }, budgetTokens, counter }) => {
  const held = new Set<string>()
  const taken: string[] = []
  let room = budgetTokens - counter.weigh('')
  for (const { text, tokens, holds } of stretchesOf(needs, counter)) {
    if (tokens > room || holds.every((need) => held.has(need))) continue
    for (const need of holds) held.add(need)
    taken.push(text)
    room -= tokens
  }
  const text = taken.reverse().join('\n')
  return { pieces: [{ kind: 'user', text, tokens: counter.weigh(text), message: 0 }] }
}

function stretchesOf(needs: Needs, counter: Counter): Stretch[] {
  const wanted = wantedOf(needs)
  const texts = new Set([
    ...needs.pairs.values(),
    ...needs.terms,
    ...needs.quotes,
    ...needs.arguments,
  ])
  return [...texts]
    .map((text) => {
      const tokens = counter.weigh(`${text}\n`) - counter.weigh('') + 1
      const present = presenceIn([text], wanted)
      return { text, tokens, holds: namesOf(present), worth: worthOf(present, needs) / tokens }
    })
    .toSorted((one, other) => other.worth - one.worth)
}

function namesOf({ terms, pairs, strings }: Present): string[] {
  return [...terms, ...pairs.keys(), ...strings]
}

function worthOf({ terms, pairs, strings }: Present, needs: Needs): number {
  const quotes = [...strings].filter((string) => needs.quotes.has(string)).length
  const unary = (terms.size + quotes) / (needs.terms.size + needs.quotes.size)
  return unary + pairs.size / needs.pairs.size
}
