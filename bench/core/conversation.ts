// Conversations from a seed, of any length and with events of a given size: the data of the benchmark.
import type { Strategy } from '../../src/core/edit/strategy.ts'
import type { EventDraft } from '../../src/core/log/event.ts'
import { runsOf } from '../../src/core/view/entry-range.ts'
import type { Random } from '../../test/generate/random.ts'

const WORDS =
  `the of and to in is that for it as was with be by on not he his but at are this have from which one
  all were when we there can more if no out so what time up them some could other into then two may
  like now made over did down only way find use many long little very after words called just where
  most know file function test error value return string number line server request config module
  build branch commit thread event store context message token summary cache query index table`.split(
    /\s+/,
  )

/** About so many characters. Joined, so that V8 holds one flat string and no part of a larger one. */
export function prose(random: Random, chars: number): string {
  const words: string[] = []
  for (let length = 0; length < chars; ) {
    const word = random.pick(WORDS)
    words.push(word)
    length += word.length + 1
  }
  return words.join(' ')
}

/** One message of the user and one answer. */
export function exchange(random: Random, chars: number): EventDraft[] {
  return [
    { type: 'USER_MESSAGE', data: prose(random, chars), origin: 'typed' },
    {
      type: 'AGENT_MESSAGE',
      data: { content: prose(random, chars), calls: [], stopReason: 'end' },
    },
  ]
}

/** A turn with one tool round, five events and four entries; one in three thinks aloud. */
function toolTurn(random: Random, chars: number): EventDraft[] {
  const call = `call_${random.int(0, 1e9).toString(36)}`
  const text = prose(random, chars)
  const half = prose(random, chars / 2)
  const thinking = { type: 'thinking', thinking: half, model: 'anthropic/test' } as const
  const parts = [
    ...(random.chance(0.33) ? [thinking] : []),
    { type: 'text', text: half } as const,
    { type: 'tool_call', callId: call } as const,
  ]
  return [
    { type: 'USER_MESSAGE', data: text, origin: 'typed' },
    {
      type: 'AGENT_MESSAGE',
      data: { content: half, parts, calls: [call], stopReason: 'tool_use' },
    },
    {
      type: 'TOOL_CALL',
      data: { id: call, name: 'read', arguments: { path: prose(random, chars) }, answer: 0 },
    },
    {
      type: 'TOOL_RESULT',
      data: {
        id: call,
        content: [{ type: 'text', text: prose(random, chars) }],
        status: 'completed',
      },
    },
    {
      type: 'AGENT_MESSAGE',
      data: { content: prose(random, chars), calls: [], stopReason: 'end' },
    },
  ]
}

export const EVENTS_OF_TURN = 5
export const ENTRIES_OF_TURN = 4

/** At least `events` events of whole turns, in batches that fit one append each. */
export function* conversation(
  random: Random,
  events: number,
  chars: number,
): Generator<EventDraft[]> {
  const turnsOfBatch = 200
  for (let made = 0; made < events; ) {
    const turns = Math.min(turnsOfBatch, Math.ceil((events - made) / EVENTS_OF_TURN))
    yield Array.from({ length: turns }, () => toolTurn(random, chars)).flat()
    made += turns * EVENTS_OF_TURN
  }
}

/** Covers everything but the last `keep` entries with one summary of a usual length. */
export function summaryBeforeTail(random: Random, keep: number): Strategy {
  return {
    id: 'bench-summary',
    propose: async ({ context, eventAt }) => {
      const items = context.items.toArray()
      const covers = runsOf(items.slice(0, items.length - keep), eventAt)
      const data = prose(random, 4_000)
      return { edits: [{ covers, put: [{ type: 'USER_MESSAGE', data, label: 'summary' }] }] }
    },
  }
}
