// A search in all threads of a store: what is found, dropped or not, and by which ref it is read.
import { describe, expect, it } from 'vitest'
import { answer, result, user } from '../../../test/say.ts'
import { compose } from '../../compose.ts'
import { archiveOf } from '../../threads/archive.ts'
import { searchAll, searchIn } from './recall-archive.ts'

async function talks() {
  const composed = compose()
  const { threads } = composed
  const old = await threads.create({}, [user('Where is parseConfig?'), ...answer('Looking.', 'c1')])
  await threads.append(old, [result('c1', 'src/core/config.ts has the port 4321')])
  await threads.append(old, answer('It is there.'))
  const other = await threads.create({}, [user('我们什么时候部署？'), ...answer('Tomorrow.')])
  return { composed, old, other }
}

describe('in all threads', () => {
  it('finds parts of names and words of two characters, with the thread in the ref [NEED-07]', async () => {
    const { composed, old, other } = await talks()
    const { finds, threads } = await searchAll(composed, 'config', 10)
    expect(finds.map(({ ref }) => ref).toSorted()).toEqual([`${old}:e2`, `${old}:e5`])
    expect(threads).toBe(1)
    expect((await searchAll(composed, '部署', 10)).finds).toMatchObject([
      { ref: `${other}:e2`, speaker: 'user', isVisible: true },
    ])
  })

  it('finds what was dropped, and gives a call by the answer it belongs to', async () => {
    const { composed, old } = await talks()
    const { threads, store } = composed
    await threads.append(old, [user('and now?'), ...answer('Now this.')])
    await threads.compact(old, 'trim-tool-results')
    const { finds } = await searchAll(composed, 'port 4321', 1)
    expect(finds).toHaveLength(1)
    const [, id = ''] = finds[0]?.ref.split(':') ?? []
    expect((await archiveOf({ threads, store }, old).read(id, 0, 1_000)).text).toContain('4321')
    for (const { ref } of (await searchAll(composed, 'read', 10)).finds)
      expect((await archiveOf({ threads, store }, old).read(ref, 0, 1_000)).text).not.toBe('')
  })

  it('says where nothing can be looked for', async () => {
    const { composed } = await talks()
    await expect(searchAll(composed, '!?', 10)).rejects.toMatchObject({ code: 'usage' })
    const blind = { ...composed, store: {} as typeof composed.store }
    await expect(searchAll(blind, 'port', 10)).rejects.toMatchObject({ code: 'usage' })
  })
})

describe('in one thread', () => {
  it.each(['port 4321', 'config', 'port 我们', 'parseConfig nowhere'])(
    'finds the same in the same order as in all of them: %s',
    async (query) => {
      const { composed, old } = await talks()
      await composed.threads.append(old, [user('Which port?'), ...answer('Port 4321 it is.')])
      const all = (await searchAll(composed, query, 10)).finds
      const own = all.filter(({ ref }) => ref.startsWith(`${old}:`))
      const { finds } = await searchIn(composed, [old], query, 10)
      expect(finds.map(({ ref }) => `${old}:${ref}`)).toEqual(own.map(({ ref }) => ref))
      expect(finds.length).toBeGreaterThan(0)
    },
  )

  it('ranks what has all the words before what has some, and gives both', async () => {
    const { composed, old, other } = await talks()
    await composed.threads.append(other, [user('The port is said tomorrow.')])
    const found = async (query: string) =>
      (await searchIn(composed, [other, old], query, 10)).finds.map(({ ref }) => ref)
    expect(await found('port 4321')).toEqual([`${old}:e5`, 'e4'])
    expect((await found('port nowhere')).toSorted()).toEqual(['e4', `${old}:e5`].toSorted())
  })

  it('looks through what a fresh session came from, as far as it came from it', async () => {
    const { composed, old } = await talks()
    const { version } = await composed.threads.context(old)
    await composed.threads.append(old, [user('Later the port was 9999.')])
    const from = { threadId: old, seq: version }
    const fresh = await composed.threads.create({ from, reason: 'fresh-session' }, [user('On.')])
    expect((await searchIn(composed, [fresh], 'port', 10)).finds).toMatchObject([
      { ref: `${old}:e5` },
    ])
  })

  it('gives an answer once, however many of its calls are found', async () => {
    const { composed } = await talks()
    const threadId = await composed.threads.create({}, [
      user('Go.'),
      ...answer('', 'zebra1', 'zebra2'),
    ])
    const { finds, matching } = await searchIn(composed, [threadId], 'zebra', 10)
    expect({ refs: finds.map(({ ref }) => ref), matching }).toEqual({ refs: ['e3'], matching: 1 })
  })
})
