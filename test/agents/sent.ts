// What a request says of the conversation, and how one differs from another.
import { expect } from 'vitest'
import type { Asked } from '../../src/dev-model/asked.ts'

export interface Sent {
  readonly calls: readonly { readonly id: string; readonly told: string }[]
  readonly results: readonly { readonly id: string; readonly failed: boolean }[]
  /** What the user and the model said, in order, less what the agent itself adds. */
  readonly texts: readonly string[]
  readonly chars: number
}

function sentIn({ turns }: Asked): Sent {
  const parts = turns.flatMap((turn) => turn.parts)
  return {
    calls: parts.flatMap((part) =>
      part.type === 'call'
        ? [{ id: part.id, told: `${part.name} ${JSON.stringify(part.arguments)}` }]
        : [],
    ),
    results: parts.flatMap((part) =>
      part.type === 'result' ? [{ id: part.id, failed: part.failed }] : [],
    ),
    texts: parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
    chars: JSON.stringify(turns).length,
  }
}

/** The first request of a run that went on with a session. */
export function firstSent(asked: readonly Asked[]): Sent {
  const [first] = asked
  if (first === undefined) throw new Error('nothing was sent')
  return sentIn(first)
}

export function lastSent(asked: readonly Asked[]): Sent {
  const last = asked.at(-1)
  if (last === undefined) throw new Error('nothing was sent')
  return sentIn(last)
}

/** The same calls in the same order, less some; each with one result, right behind it. */
export function expectKept(after: Sent, before: Sent): void {
  const told = before.calls.map((call) => call.told)
  let from = 0
  for (const call of after.calls) {
    const at = told.indexOf(call.told, from)
    expect(at, `${call.told} stands where it stood`).toBeGreaterThanOrEqual(from)
    from = at + 1
  }
  expectPaired(after)
}

export function expectPaired({ calls, results }: Sent): void {
  expect(results.map(({ id }) => id)).toEqual(calls.map(({ id }) => id))
  expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length)
}

/** How often a text is sent. */
export function countOf({ texts }: Sent, words: string): number {
  return texts.join('\n').split(words).length - 1
}
