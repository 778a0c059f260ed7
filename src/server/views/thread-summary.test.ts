// The list of threads: what a search finds in it.
import { describe, expect, it } from 'vitest'
import { answer, user } from '../../../test/say.ts'
import { compose } from '../../compose.ts'
import type { Store } from '../../core/ports.ts'
import { listThreads } from './thread-summary.ts'

describe('a search in the list of threads', () => {
  it('finds titles, and what was said, by all of the words', async () => {
    const { threads, store } = compose()
    const titled = await threads.create({ title: 'The deployment' }, [user('Hello.')])
    const said = await threads.create({ title: 'Other things' }, [
      user('Look at parseConfig.'),
      ...answer('It is in the deployment folder.'),
    ])
    const found = async (search: string) =>
      (await listThreads(store, { search })).items.map(({ threadId }) => threadId).toSorted()
    expect(await found('deployment')).toEqual([titled, said].toSorted())
    expect(await found('config')).toEqual([said])
    expect(await found('deployment folder')).toEqual([said])
    expect(await found('deployment zebra')).toEqual([])
    expect(await found('?!')).toEqual([])
  })

  it('finds nothing of others', async () => {
    const { threads, store } = compose()
    await threads.create({ owner: 'ann' }, [user('the word')])
    const bens = await threads.create({ owner: 'ben' }, [user('the word')])
    const { items } = await listThreads(store, { search: 'word' }, 'ben')
    expect(items.map(({ threadId }) => threadId)).toEqual([bens])
  })

  it('finds what is one’s own, however much others said of it', async () => {
    const { threads, store } = compose()
    const long = 'a sentence in which among many other things the word is said'
    const saying = (threadId: string) => [user('A title.'), ...answer(`${long} in ${threadId}`)]
    const bens = await threads.create({ owner: 'ben' }, saying('one'))
    const nobodys = await threads.create({}, saying('two'))
    for (let index = 0; index < 110; index += 1)
      await threads.create({ owner: 'ann' }, [user('A title.'), ...answer('word word')])
    const found = async (owner: string) =>
      (await listThreads(store, { search: 'word' }, owner)).items.map(({ threadId }) => threadId)
    expect(await found('ben')).toEqual([bens])
    expect(await found('local')).toEqual([nobodys])
  })
})

it('a page of one owner costs a reading of its own threads, however many others have', async () => {
  const { threads, store } = compose()
  const bens = await threads.create({ owner: 'ben' }, [user('mine')])
  for (let index = 0; index < 60; index += 1)
    await threads.create({ owner: 'ann' }, [user('not mine')])
  const readings: string[] = []
  const counting: Pick<Store, 'read' | 'info' | 'list'> = {
    read: (threadId, range) => {
      readings.push(threadId)
      return store.read(threadId, range)
    },
    info: (threadId) => store.info(threadId),
    list: (options) => store.list(options),
  }
  const { items, next } = await listThreads(counting, { limit: 5 }, 'ben')
  expect(items.map(({ threadId }) => threadId)).toEqual([bens])
  expect(next).toBeUndefined()
  expect(readings).toEqual([bens])
})
