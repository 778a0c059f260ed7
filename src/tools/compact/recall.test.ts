// The tool `recall` over an archive: pages that say how to go on, and never more than a page.
import { describe, expect, it } from 'vitest'
import { call, outcomeOf, seen } from '../../../test/tools/temporary-workspace.ts'
import { PrecisError } from '../../core/errors.ts'
import type { Archive } from '../../core/search/archive.ts'
import { recallTool } from './recall.ts'

const TEXT = Array.from({ length: 5_000 }, (_, n) => `word${n}`).join(' ')

const archive: Archive = {
  async read(ref, offset, limit) {
    if (ref !== 'e12') throw new PrecisError('unknown-entry', `There is nothing under ${ref}.`)
    const next = offset + limit
    return { text: TEXT.slice(offset, next), ...(next < TEXT.length && { next }) }
  },
  async search(query, limit) {
    const find = {
      ref: 'e12' as const,
      speaker: 'user',
      timestamp: new Date('2026-01-31T10:00:30Z'),
      snippet: `about ${query}`,
      names: query === 'named' ? ['readRow', 'a.ts'] : [],
      isVisible: false,
    }
    if (query === 'nothing') return { finds: [], further: [], matching: 0, searchedFrom: 5 }
    if (query === 'nowhere')
      return { finds: [], further: [], matching: 0, searchedFrom: 5, searchedThread: 'thr_7' }
    const finds = Array.from({ length: limit }, () => find)
    return {
      finds: [...finds.slice(1), { ...find, isVisible: true }],
      further: query === 'named' ? [{ ref: 'e30', names: ['b.ts', 'writeRow'] }] : [],
      matching: 99,
      searchedFrom: 1,
    }
  },
}
const tool = recallTool(() => archive, { pageChars: 20, maxPageChars: 30, finds: 2 })

describe('recall', () => {
  it.each([
    [{ ref: 'e12' }, `${TEXT.slice(0, 20)}\n[e12, characters 0 to 20; go on with offset 20]`],
    [
      { ref: '[ref:e12]', offset: 20, limit: 5 },
      `${TEXT.slice(20, 25)}\n[e12, characters 20 to 25; go on with offset 25]`,
    ],
    [
      { ref: 'ref e12', limit: 999 },
      `${TEXT.slice(0, 30)}\n[e12, characters 0 to 30; go on with offset 30]`,
    ],
    [
      { ref: 'e12', offset: TEXT.length - 3 },
      `${TEXT.slice(-3)}\n[e12, characters 43,886 to 43,889; the end]`,
    ],
    [
      { query: 'deploy' },
      '2 of 99 found, best first; read one in full with its ref.\n- e12 user: about deploy\n- e12 user, still in view: about deploy',
    ],
    [
      { query: 'named' },
      '2 of 99 found, best first; read one in full with its ref.\n- e12 user: about named · names: readRow, a.ts\n- e12 user, still in view: about named · names: readRow, a.ts\n- e30: b.ts, writeRow',
    ],
    [
      { query: 'nothing' },
      '[nothing found for: nothing. Events before 5 were not searched. Try other words]',
    ],
    [
      { query: 'nowhere' },
      '[nothing found for: nowhere. Events before 5 of thr_7 were not searched. Try other words]',
    ],
  ])('answers %j', async (input, text) => {
    expect(await outcomeOf(tool, input)).toEqual(['completed', text])
  })

  it.each([
    [{}, 'recall: give either `query` or `ref`, and only one of them.'],
    [{ query: 'a', ref: 'e12' }, 'recall: give either `query` or `ref`, and only one of them.'],
    [{ ref: 'e99' }, 'There is nothing under e99.'],
    [{ ref: 'e12', offset: -1 }, expect.stringContaining('`offset`: Too small')],
    [{ query: '' }, expect.stringContaining('`query`: Too small')],
  ])('refuses %j with a sentence', async (input, sentence) => {
    expect(await outcomeOf(tool, input)).toEqual(['failed', sentence])
  })

  it('gives a page at most, however much is asked for [NEED-07]', async () => {
    const usual = recallTool(() => archive)
    const most = seen(await call(usual, { ref: 'e12', limit: 1_000_000 }))
    expect(most.length).toBeLessThan(20_100)
    expect(most).toContain('go on with offset 20000')
  })

  it('reads the archive of the thread that calls', async () => {
    const asked: string[] = []
    const watching = recallTool((threadId) => {
      asked.push(threadId)
      return archive
    })
    await call(watching, { query: 'x' })
    expect(seen(await call(watching, { ref: 'e12' }))).toContain('go on with offset 8000')
    expect(asked).toEqual(['thr_1', 'thr_1'])
    expect(tool.subjectOf({ query: 'deploy' })).toBe('deploy')
  })
})
