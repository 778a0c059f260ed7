// Indexing in steps: however long an event is, one step takes in only so many parts of it.
import { expect, it } from 'vitest'
import { message } from '../contract/place.ts'
import { encodeEvent, type StoredEvent } from '../rows/stored-event.ts'
import { type IndexSource, indexRows, lastSeq, listByOwners, searchIndex } from './search-index.ts'

/** Two rows: one of a single part, one of five. */
const ROWS: readonly StoredEvent[] = [
  encodeEvent(message('t', 'short', 'kettle'), 7),
  encodeEvent(message('t', 'long', 'so many words '.repeat(5_000)), 8),
]

it('goes on within an event where the step before has ended', () => {
  const seen: (readonly [seq: number, part: number])[] = []
  const steps: (number | undefined)[] = []
  let [rows, done] = [ROWS, 0]
  for (;;) {
    const indexed = indexRows('t', rows, [], { most: 2, done })
    for (const { seq, part } of indexed.parts) seen.push([seq, part])
    steps.push(lastSeq(rows, indexed))
    if (indexed.cutSeq === undefined) break
    rows = ROWS.filter(([seq]) => seq === indexed.cutSeq)
    done = seen.filter(([seq]) => seq === indexed.cutSeq).length
  }
  expect(seen).toEqual([
    [7, 0],
    [8, 0],
    [8, 1],
    [8, 2],
    [8, 3],
    [8, 4],
  ])
  expect(steps).toEqual([7, 7, 8])
})

it('takes in as many short events in one step as it is given', () => {
  const rows = Array.from({ length: 9 }, (_, at) => encodeEvent(message('t', `short${at}`), at + 1))
  const indexed = indexRows('t', rows, [], { most: 2 })
  expect(indexed.parts.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(lastSeq(rows, indexed)).toBe(9)
})

it('keeps the calls that wait from before an event that it has not ended', () => {
  const awaited = [{ id: 'c1', tool: 'read' }]
  const data = {
    id: 'c1',
    status: 'completed',
    content: [{ type: 'text', text: 'so many words '.repeat(5_000) }],
  } as const
  const rows = [encodeEvent({ ...message('t', 'r'), type: 'TOOL_RESULT', data } as never, 3)]
  const cut = indexRows('t', rows, awaited, { most: 2 })
  expect(cut).toMatchObject({ awaited, cutSeq: 3 })
  const rest = indexRows('t', rows, cut.awaited, { most: 9, done: 2 })
  expect(rest.parts.map(({ part, tool }) => [part, tool])).toEqual([
    [2, 'read'],
    [3, 'read'],
    [4, 'read'],
  ])
  expect(rest.awaited).toEqual([])
})

/** An index that somebody else makes anew between its being caught up and being looked into. */
function clearedMeanwhile(): IndexSource {
  const [row] = ROWS as readonly [StoredEvent, ...StoredEvent[]]
  const hit = { threadId: 't', part: 0, kind: 'user', tool: null, file: null, row } as const
  const state = { isMade: true, finds: 0 }
  return {
    isBehind: async () => !state.isMade,
    indexMore: async () => {
      state.isMade = true
      return false
    },
    clearIndex: async () => undefined,
    find: async () => {
      state.finds += 1
      if (state.finds === 1) state.isMade = false
      return state.isMade ? [hit] : []
    },
  }
}

it('says that there is nothing only where it has looked at all there is', async () => {
  const index = searchIndex(clearedMeanwhile())
  expect((await index.search({ text: 'kettle' })).finds).toMatchObject([{ seq: 7 }])
})

it('lists all threads of an owner where their owners are forgotten meanwhile', async () => {
  const state = { isKnown: true, lists: 0 }
  const source = {
    knowsOwners: async () => state.isKnown,
    learnMore: async () => {
      state.isKnown = true
      return false
    },
  }
  const listed = await listByOwners(source, async () => {
    state.lists += 1
    if (state.lists === 1) state.isKnown = false
    return state.isKnown ? ['t'] : []
  })
  expect(listed).toEqual(['t'])
})

it('comes to an end where there are always threads whose owners it does not know', async () => {
  const source = { knowsOwners: async () => false, learnMore: async () => false }
  expect(await listByOwners(source, async () => ['t'])).toEqual(['t'])
})
