// Where there is a log, whatever a strategy without a model leaves out is read again under a ref it gives.
import { expect, it } from 'vitest'
import { compose } from '../../src/compose.ts'
import type { EntryId } from '../../src/core/edit/change.ts'
import { refsBeside } from '../../src/core/edit/report.ts'
import type { ThreadEvent } from '../../src/core/log/event.ts'
import { memoryStore } from '../../src/stores/memory/memory.ts'
import { answer, result, user } from '../say.ts'

const STRATEGIES = [
  'trim-tool-results',
  'prune',
  'mask',
  'extract',
  'cascade',
  'drop-turns',
] as const
const ROUNDS = 30

/** Each round reads one file twice, so that pruning finds something as well. */
function session() {
  const rounds = Array.from({ length: ROUNDS }, (_, at) => {
    const text = Array.from({ length: 40 }, (_, line) => `row ${line} of result ${at}`).join('\n')
    return [
      ...answer(`Reading ${at}.`, `a${at}`),
      result(`a${at}`, text),
      ...answer(`Reading ${at} again.`, `b${at}`),
      result(`b${at}`, text),
    ]
  })
  return [user('Read everything.'), ...rounds.flat(), ...answer('Done.')]
}

const numberOf = (id: string) => Number(/^e(\d+)$/.exec(id)?.[1])

/** The originals that refs in a text name, one by one or from the first to the last. */
function named(text: string): Set<number> {
  const found = new Set<number>()
  for (const [, from = '', to = from] of text.matchAll(/\[ref:(e\d+)\](?: to \[ref:(e\d+)\])?/g))
    for (let seq = numberOf(from); seq <= numberOf(to); seq += 1) found.add(seq)
  return found
}

it.each(STRATEGIES)('%s [NEED-07]', async (strategy) => {
  const { threads } = compose({ store: memoryStore() })
  const threadId = await threads.create()
  await threads.import(threadId, session())
  const log = (await threads.getAllEvents(threadId)) as ThreadEvent[]
  const outcome = await threads.compact(threadId, strategy, { targetTokens: 6_000 })
  if (!outcome.committed) throw new Error(outcome.refusal.message)
  const metadata = outcome.event?.data.metadata
  const { messages } = await threads.messages(threadId)
  const refs = named(JSON.stringify(messages))
  for (const ref of refsBeside(metadata)) refs.add(numberOf(ref))
  const standing = new Set((await threads.context(threadId)).items.toArray().map(({ id }) => id))
  const leftOut = log.filter(({ type, seq }) => type === 'TOOL_RESULT' && !standing.has(`e${seq}`))
  expect(leftOut.length).toBeGreaterThan(0)
  for (const event of leftOut) {
    expect(refs, `a ref for event ${event.seq}`).toContain(event.seq)
    expect(await threads.originals(threadId, `e${event.seq}` as EntryId)).toEqual([event])
  }
  expect(outcome.report.refs.count).toBeGreaterThan(0)
})
