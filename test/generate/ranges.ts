// Random ranges between checkpoints, and what must hold for messages after them.
import type { Message, MessagePart } from '../../src/core/view/message.ts'
import type { RangeReplacement } from '../../src/strategies/ranges/compact-ranges.ts'
import type { Random } from './random.ts'

/** Mostly sound ranges, some of which share a checkpoint; some are empty, overlap, or name what is not there. */
export function randomReplacements(
  checkpoints: readonly string[],
  random: Random,
): RangeReplacement[] {
  const ids = [undefined, ...checkpoints, undefined]
  const picked = Array.from({ length: random.int(2, 6) }, () => random.int(0, ids.length - 1))
  const ends = random.chance(0.9) ? [...new Set(picked)].sort((a, b) => a - b) : picked
  const step = random.chance(0.5) ? 1 : 2
  const replacements: RangeReplacement[] = []
  for (let at = 0; at + 1 < Math.max(2, ends.length); at += step) {
    const from = random.chance(0.02) ? 'zzzzzz' : ids[ends[at] ?? 0]
    const to = ids[ends[at + 1] ?? 0]
    replacements.push({
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      summary: random.chance(0.25) ? random.pick(['', ' \n']) : `summary ${at}`,
    })
  }
  return replacements
}

export function shuffled<T>(all: readonly T[], random: Random): T[] {
  return all
    .map((value) => ({ value, key: random.next() }))
    .sort((a, b) => a.key - b.key)
    .map(({ value }) => value)
}

/** Calls that the next message does not answer, and results that the message before did not ask for. */
export function unpaired(messages: readonly Message[], open: ReadonlySet<string>): string[] {
  const ids = (message: Message | undefined, type: MessagePart['type']) =>
    (message?.parts ?? []).flatMap((part) => (part.type === type && 'id' in part ? [part.id] : []))
  return messages.flatMap((message, at) => {
    const answered = ids(messages[at + 1], 'tool_result')
    const asked = ids(messages[at - 1], 'tool_call')
    const isOpen = (id: string) => open.has(id) && at >= messages.length - 2
    return [
      ...ids(message, 'tool_call').filter((id) => !answered.includes(id) && !isOpen(id)),
      ...ids(message, 'tool_result').filter((id) => !asked.includes(id)),
    ]
  })
}
