// What a compaction took out and put in: which one is meant, and in which order it is told.
import { describe, expect, it } from 'vitest'
import { answer, result, user } from '../../../test/say.ts'
import { compose } from '../../compose.ts'
import { readEvents } from '../session/session.ts'
import { compare, lastCompaction, sideAt } from './difference.ts'

const LONG = Array.from({ length: 400 }, (_, line) => `line ${line} of it`).join('\n')

async function compacted() {
  const { threads, store } = compose()
  const threadId = await threads.create({}, [user('Look.'), ...answer('Looking.', 'a', 'b')])
  await threads.append(threadId, [result('a', LONG), result('b', `${LONG}!`), ...answer('Seen.')])
  await threads.compact(threadId, 'trim-tool-results')
  const { seq } = lastCompaction(await readEvents(store, threadId)) ?? { seq: 0 }
  await threads.append(threadId, [user('Thanks.'), ...answer('Gladly.')])
  return { threads, seq, threadId, events: () => readEvents(store, threadId) }
}

describe('the last compaction', () => {
  it('is one that is in force; an undone one is named where there is no other', async () => {
    const { threads, threadId, seq, events } = await compacted()
    expect(lastCompaction(await events())).toEqual({ seq, isInForce: true })
    await threads.undo(threadId)
    expect(lastCompaction(await events())).toEqual({ seq, isInForce: false })
    await threads.redo(threadId)
    expect(lastCompaction(await events())).toEqual({ seq, isInForce: true })
    expect(lastCompaction((await events()).slice(0, seq - 1))).toBe(undefined)
  })

  it('is told with what went before what took its place, without what was said since', async () => {
    const { seq, events } = await compacted()
    const log = await events()
    const { lines } = compare(sideAt(log, seq - 1, 'before'), sideAt(log, seq, 'after'))
    expect(lines.map(({ sign }) => sign).join('')).toBe('  --++ ')
  })
})
