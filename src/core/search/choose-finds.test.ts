// What a search shows: close words before scattered ones, names that were lost, no name twice, never too much.
import { describe, expect, it } from 'vitest'
import { estimateTokens } from '../window/tokens/estimate.ts'
import { chooseFinds } from './choose-finds.ts'
import { computeStems, countWords, weighTexts } from './matching.ts'
import { namesIn } from './words.ts'

function choose(
  query: string,
  texts: readonly string[],
  known: readonly string[] = [],
  { further = 0, isOwn = false, tokens = 300 } = {},
) {
  const words = computeStems(query)
  const counted = texts.map((text) => ({ counts: countWords(text, words), chars: text.length }))
  const chars = texts.join('').length
  const { asked, scores } = weighTexts(counted, words, { texts: texts.length, chars })
  const candidates = texts.map((text, index) => ({
    text,
    score: scores[index] ?? 0,
    label: `e${index} user`,
    ref: `e${index}`,
    recency: index / texts.length,
    isOwn,
  }))
  return chooseFinds(candidates, asked, { finds: 5, further, tokens, known: new Set(known) })
}

const FILLER = 'Nothing of this kind is here, and that is said at some length.\n'.repeat(30)

describe('stems', () => {
  it.each([
    ['querying', 'the queries are slow', 1],
    ['validated', 'validation of input', 1],
    ['running', 'it runs', 1],
    ['config', 'parseConfig', 1],
    ['use', 'the user', 0.2],
    ['ow', 'readRow', 0],
    ['cafe', 'Café', 1],
  ])('%s counts in "%s" as %d', (query, text, count) => {
    expect(countWords(text, computeStems(query))[0]).toBe(count)
  })
})

describe('words that hold a sentence together', () => {
  it('are not looked for, unless there are no others', () => {
    expect(computeStems('What is the timeout for it?')).toEqual(['timeout'])
    expect(computeStems('die Frist für das Tor')).toEqual(['die', 'frist', 'tor'])
    expect(computeStems('to be or not to be')).toEqual(['not'])
    expect(computeStems('to be')).toEqual(['to', 'be'])
  })
})

describe('names', () => {
  it('are what must come back exactly, without the marks of the sentence', () => {
    const text =
      'See src/a/b.ts:12:3, `readRow()` and user_id. TS2322 at v1.2.3 (#1556), VER-01: 10% in 40ms; a3f09bc1.'
    expect(namesIn(text)).toEqual([
      ...['src/a/b.ts', 'readRow', 'user_id', 'TS2322', 'v1.2.3', '#1556', 'VER-01', '10%', '40ms'],
      'a3f09bc1',
    ])
    expect(namesIn('It listens on deploy-4k:20481, then localhost:3000.')).toEqual([
      'deploy-4k:20481',
      'localhost:3000',
    ])
    expect(namesIn('At 12:30 see gate.ts:12.')).toEqual(['gate.ts'])
    expect(namesIn('src/a.ts:12:func main\nsrc/a.ts-13-return\nsrc/a.ts-14')).toEqual(['src/a.ts'])
    expect(namesIn('See big.ts:1234, src/gate.py:20481:7 and notes.txt:10000.')).toEqual([
      'big.ts',
      'src/gate.py',
      'notes.txt',
    ])
    expect(namesIn('Then step:10000, 12:3000 and line-12.md:4000 at 2026-11-16:1234.')).toEqual([
      'line-12.md',
    ])
    const hosts = ['10.0.0.7:5432', 'db.example.com:5432', 'api.harbour.io:8443', 'db-2:6379']
    expect(namesIn(`It asks ${hosts.join(', ')}.`)).toEqual(hosts)
    expect(namesIn('The words of a sentence are none, e.g. these: 12 or so.')).toEqual([])
  })
})

describe('finds', () => {
  it('give the names that the one who asks wrote before those that a tool printed', () => {
    const printed = Array.from({ length: 12 }, (_, at) => `printed_name_${at}`).join(' ')
    const own = `the timeout is set ${'in a place of its own, which is long to tell, '.repeat(4)}in own_name`
    const texts = [`the gateway timeout: ${printed}`, own]
    const words = computeStems('gateway timeout')
    const counted = texts.map((text) => ({ counts: countWords(text, words), chars: text.length }))
    const { asked } = weighTexts(counted, words, { texts: 2, chars: 400 })
    const names = (isOwn: boolean) =>
      chooseFinds(
        texts.map((text) => ({ text, score: 1, label: '', isOwn: isOwn && text === own })),
        asked,
        { finds: 2, tokens: 100, known: new Set() },
      ).flatMap((find) => find.names)
    expect(names(true)).toContain('own_name')
    expect(names(false)).not.toContain('own_name')
  })

  it('rank by how many of the words stand close together, and how rare they are', () => {
    const scattered = `timeout\n${FILLER}gateway\n${FILLER}retry of scatterName`
    const close = `${FILLER}the gateway retries after its timeout in closeName\n${FILLER}`
    const one = 'timeout of oneName'
    const found = choose('gateway retry timeout', [scattered, one, close])
    expect(found.map(({ candidate }) => candidate.text)).toEqual([close, scattered, one])
    expect(found[0]?.snippet).toContain('the gateway retries after its timeout')
  })

  it('show all the words where they stand closest, also if they stand together more than once', () => {
    const lines = Array.from({ length: 300 }, (_, at) => `berth ${at} has the key qx-${at}-zulu`)
    const others = Array.from({ length: 300 }, (_, at) => `step ${at}`)
    const found = choose('key of berth 137', [lines.join('\n'), others.join('\n')])
    expect(found[0]?.snippet).toContain('137 has the key qx-137-zulu')
  })

  it('show the word that was asked for, wherever it stands', () => {
    const filler = Array.from({ length: 60 }, (_, at) => `plank${at % 7}`)
    for (let at = 0; at <= filler.length; at += 1) {
      const text = filler.toSpliced(at, 0, 'boathouse').join(' ')
      expect(choose('boathouse', [text])[0]?.snippet, `at ${at}`).toContain('boathouse')
    }
  })

  it('never show half a word or half a number', () => {
    const lines = Array.from({ length: 40 }, (_, at) => `setting_${at} = ${654_321 + at * 977}`)
    const words = new Set(lines.join(' ').split(' '))
    for (let at = 0; at < 40; at += 1)
      for (const find of choose(`setting_${at}`, [lines.join('\n')]))
        for (const word of find.snippet.replaceAll('…', ' ').trim().split(' '))
          expect(words).toContain(word)
  })

  it('give how long something took behind the names beside it', () => {
    const long = `the files were checked after some time that nobody had expected, and this ${'again '.repeat(40)}`
    const [find] = choose('files checked', [`${long} in 122ms by readRow`])
    expect(find?.names).toEqual(['readRow', '122ms'])
  })

  it('give the names near the words, each once, and none that is known', () => {
    const texts = [
      `${FILLER}the pool is drained\nby drainPool in src/pool.ts and knownName\n${FILLER}`,
      'the pool is drained by drainPool in src/other.ts',
    ]
    const found = choose('pool drained', texts, ['knownName'])
    const given = found.flatMap(({ snippet, names }) => [...namesIn(snippet), ...names])
    expect(given).toContain('src/pool.ts')
    expect(given).toContain('src/other.ts')
    expect(found.flatMap(({ names }) => names)).not.toContain('knownName')
    const names = found.flatMap((find) => find.names)
    expect(new Set(names).size).toBe(names.length)
  })

  it('put what only repeats the names of another find behind what adds some', () => {
    const repeated = 'the cache is flushed by flushCache'
    const found = choose('cache flushed', [repeated, `${repeated} `, 'a cache flushed in src/x.ts'])
    expect(found.map(({ candidate }) => candidate.text).at(-1)).toContain('flushCache')
    expect(found[1]?.candidate.text).toContain('src/x.ts')
  })

  it('give no name that stands at the end of one that is given', () => {
    const long = 'the pool is drained by drainer'
    const text = `${long}\n${FILLER.slice(0, 180)}\n/srv/app/src/pool.ts src/pool.ts pool.ts tool.ts`
    const [found] = choose('pool drained', [text, `${FILLER}other`, `${FILLER}else`])
    expect([found?.snippet, ...(found?.names ?? [])].join(' ').match(/\S*pool\.ts/g)).toHaveLength(
      1,
    )
    expect(`${found?.snippet} ${found?.names}`).toContain('tool.ts')
  })

  it('put what shows the same line again behind what shows another', () => {
    const line = 'the cache was not touched in this run of the tests'
    const texts = [...Array.from({ length: 6 }, () => line), `${FILLER}the cache holds 40 entries`]
    expect(choose('cache', texts)[1]?.snippet).toContain('40 entries')
  })

  it('show the whole passage of a single find', () => {
    const text = `the gateway ${'of this harbour is asked first, '.repeat(7)}then the pilot`
    expect(choose('gateway', [text])[0]?.snippet).toBe(text)
  })

  it('are followed by entries that give their names alone, within the same tokens', () => {
    const texts = Array.from({ length: 9 }, (_, at) => `the pool is drained by drain_${at}`)
    const found = choose('pool drained', texts, [], { further: 4 })
    expect(found.slice(0, 5).every(({ snippet }) => snippet !== '')).toBe(true)
    expect(found.slice(5).map(({ snippet, names }) => [snippet, names.length])).toEqual(
      Array.from({ length: 4 }, () => ['', 1]),
    )
    const lines = found.map(({ candidate, snippet, names }) =>
      snippet === ''
        ? `- ${candidate.ref}: ${names.join(', ')}\n`
        : `- ${candidate.label}: ${snippet}\n`,
    )
    const tokens = estimateTokens(lines.join(''))
    const short = choose('pool drained', texts, [], { further: 4, tokens: tokens - 10 })
    expect(short.length).toBeLessThan(9)
    expect(choose('pool drained', texts, [], { further: 4, tokens })).toHaveLength(9)
    expect(choose('pool drained', texts)).toHaveLength(5)
  })

  it('give names that were used in several texts, and of late, before others', () => {
    const rare = Array.from({ length: 6 }, (_, at) => `rare_name_${at}`).join(' ')
    const filler = 'of the harbour and what else there is to tell about it '.repeat(6)
    const once = `the pool ${filler}${rare} usedOften`
    const texts = [once, `the pool ${filler}and usedOften again`]
    const names = (isOwn: boolean) =>
      choose('pool', texts, [], { isOwn, tokens: 200 }).flatMap((find) => find.names)
    expect(names(true)[0]).toBe('usedOften')
  })

  it('stay within their tokens, however many names there are', () => {
    const text = Array.from({ length: 500 }, (_, n) => `retry in src/some/where/module-${n}.ts`)
    const found = choose('retry module', [text.join('\n'), text.join(' ')])
    const shown = found.map(
      ({ candidate, snippet, names }) =>
        `- ${candidate.label}: ${snippet} · names: ${names.join(', ')}\n`,
    )
    expect(estimateTokens(shown.join(''))).toBeLessThanOrEqual(300)
    expect(estimateTokens(shown.join(''))).toBeGreaterThan(270)
    expect(found.flatMap(({ names }) => names).length).toBeGreaterThanOrEqual(5)
  })
})
