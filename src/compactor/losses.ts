// What is missing from compacted messages, each with the message that it was in
import type { EntryId } from '../core/edit/change.ts'
import { nameOfEntry } from '../core/edit/irreducible.ts'
import { reasonsIn } from '../core/edit/report.ts'
import { bearsEntry } from '../core/log/event.ts'
import { findRoot, itemOfEvent } from '../core/view/entry.ts'
import type { MessageLog } from '../messages/message-log.ts'

/** Something that was in the messages and is not there any more, or not whole. */
export interface Loss {
  /** The indices of its messages in the array that was given: several where they are one answer. */
  readonly messages: readonly number[]
  readonly kind: 'removed' | 'shortened'
  /** A name that a person recognises. */
  readonly what: string
  /** The rule, the rung or the strategy. */
  readonly why: string
  readonly tokensBefore: number
  readonly tokensAfter: number
}

/** Events never change, and a compactor lists its losses with each request. */
const weights = new WeakMap<object, number>()

function weigh(event: Parameters<typeof itemOfEvent>[0]): number {
  const tokens = weights.get(event) ?? itemOfEvent(event).tokens
  weights.set(event, tokens)
  return tokens
}

/** `indexOf` gives the index that a message has for the caller. */
export function findLosses(
  log: MessageLog,
  indexOf: (number: number) => number | undefined = (number) => number,
): Loss[] {
  const { context, eventAt } = log
  const standing = new Map<EntryId, { id: EntryId; tokens: number }>()
  for (const item of context.items) standing.set(findRoot(item.id, eventAt), item)
  const why = new Map<EntryId, string>()
  let otherwise = ''
  for (const seq of context.active) {
    const event = eventAt(seq)
    if (event?.type !== 'COMPACTION') continue
    const reasons = reasonsIn(event.data.metadata)
    for (const [id, reason] of reasons) why.set(findRoot(id, eventAt), reason)
    otherwise = event.data.strategyId
  }
  return [...log.places].flatMap(([id, places]): Loss[] => {
    const left = standing.get(id)
    if (left?.id === id) return []
    const event = eventAt(Number(id.slice(1)))
    if (!event || !bearsEntry(event)) return []
    const messages = places.flatMap((place) => indexOf(place.message) ?? [])
    if (messages.length === 0) return []
    return [
      {
        messages,
        kind: left === undefined ? 'removed' : 'shortened',
        what: nameOfEntry(id, eventAt),
        why: why.get(id) ?? otherwise,
        tokensBefore: weigh(event),
        tokensAfter: left?.tokens ?? 0,
      },
    ]
  })
}
