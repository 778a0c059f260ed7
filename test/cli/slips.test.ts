// Slips at the command line that a newcomer makes, and what the command says or does about each.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { oneLine } from '../../src/cli/terminal/terminal.ts'
import { eachPlace, sample } from './place.ts'

const place = eachPlace()
const CODEX = sample('sessions/codex.jsonl')

describe('export', () => {
  it.each([
    ['--full', 'x.html', /^<!doctype html>/i],
    ['--full', 'X.HTM', /^<!doctype html>/i],
    ['--full', 'x.md', /^# /],
    ['--full', 'x.txt', /^# /],
    ['--raw', 'x.html', /^<!doctype html>/i],
    ['--raw', 'x.jsonl', /^\{/],
  ])('%s --out %s is of the format that its ending says', async (flag, out, start) => {
    const { status, stderr } = await place().precis(['export', CODEX, flag, '--out', out])
    expect(status, stderr).toBe(0)
    expect(readFileSync(join(place().folder, out), 'utf8')).toMatch(start)
  })

  it('--to goes before the ending', async () => {
    await place().precis(['export', CODEX, '--to', 'pi', '--out', 'x.html'])
    expect(readFileSync(join(place().folder, 'x.html'), 'utf8')).toMatch(/^\{"type":"session"/)
  })

  it('gives each page of several its ending', async () => {
    const { stderr } = await place().precis([
      'export',
      CODEX,
      sample('sessions/pi.jsonl'),
      '--full',
      '--out',
      'pages',
    ])
    expect(stderr).toBe('')
    for (const name of ['codex.md', 'pi.md'])
      expect(readFileSync(join(place().folder, 'pages', name), 'utf8')).toMatch(/^# /)
  })
})

describe('a directory', () => {
  it('names the files that it skipped', async () => {
    const folder = join(place().folder, 'mixed')
    mkdirSync(folder)
    writeFileSync(join(folder, 'good.jsonl'), readFileSync(CODEX))
    writeFileSync(join(folder, 'bad.jsonl'), 'garbage\n')
    for (let at = 0; at < 6; at += 1) writeFileSync(join(folder, `list${at}.json`), '{"a": 1}')
    const { status, stderr } = await place().precis(['inspect', 'mixed'])
    expect(status).toBe(0)
    expect(stderr).toContain('not a session, or it cannot be read')
    expect(stderr.match(/skipped /g)).toHaveLength(6)
    expect(stderr).toContain('skipped 2 more files')
  })

  it('that does not exist, or is a file, fails', async () => {
    const gone = await place().precis(['sessions', '/nonexist'])
    expect(gone).toMatchObject({ status: 1, stdout: '' })
    expect(gone.stderr).toContain('/nonexist does not exist')
    const file = await place().precis(['sessions', CODEX])
    expect(file).toMatchObject({ status: 2, stdout: '' })
    expect(file.stderr).toContain('is not a directory')
  })
})

it.each([
  ['compact', CODEX, '--pin', ''],
  ['compact', CODEX, '--pin', ' \t'],
  ['pins', 'thr_1', '--add', ''],
])('%s %s %s %j is refused', async (...args) => {
  const { status, stderr } = await place().precis(args)
  expect(status).toBe(2)
  expect(stderr).toContain('the text is empty')
})

it.each(['nope', 'nope/x', 'http://localhost:11434'])(
  '--model %s is wrong usage',
  async (model) => {
    for (const args of [
      ['chat', '--plain'],
      ['send', 'hi'],
    ])
      expect((await place().precis([...args, '--model', model])).status).toBe(2)
  },
)

it('imports a file once, however many processes import it', async () => {
  const folder = join(place().folder, '.codex', 'sessions')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'rollout-c0de0000-0000-4000-8000-000000000001.jsonl')
  writeFileSync(file, readFileSync(CODEX))
  const imports = [1, 2, 3].map(() => place().json<{ outcome: string }[]>(['import', file]))
  const outcomes = (await Promise.all(imports)).flat().map(({ outcome }) => outcome)
  expect(outcomes.toSorted()).toEqual(['known', 'known', 'new'])
  const all = await Promise.all([place().json(['sync']), place().json(['import', file])])
  expect(all).toHaveLength(2)
  expect(await place().json<object[]>(['threads'])).toHaveLength(1)
})

it('reads what a sub-agent said by the ref that a search in its file gave', async () => {
  const line = (
    uuid: string,
    parentUuid: string | null,
    isSidechain: boolean,
    role: string,
    content: string,
  ) =>
    JSON.stringify({
      uuid,
      sessionId: 's',
      isSidechain,
      parentUuid,
      type: role,
      message: { role, content },
    })
  const records = [
    line('1', null, false, 'user', 'Look for the zebra.'),
    line('2', null, true, 'user', 'Find the zebra in the logs.'),
    line('3', '2', true, 'assistant', 'The zebra stands in line 40.'),
    line('4', '1', false, 'assistant', 'It is found.'),
  ]
  writeFileSync(join(place().folder, 'sub.jsonl'), `${records.join('\n')}\n`)
  const found = await place().json<{ finds: { ref: string; snippet: string }[] }>([
    'recall',
    'zebra',
    '--in',
    'sub.jsonl',
  ])
  expect(found.finds.map(({ ref }) => ref).filter((ref) => ref.startsWith('sub-1:'))).toHaveLength(
    2,
  )
  for (const { ref, snippet } of found.finds) {
    const { text } = await place().json<{ text: string }>(['show', ref, '--in', 'sub.jsonl'])
    expect(text).toContain(snippet)
  }
  const { status, stderr } = await place().precis(['show', 'sub-2:e2', '--in', 'sub.jsonl'])
  expect(status).toBe(1)
  expect(stderr).toContain('It has 1 sub-agents')
})

it.each([
  ['漢字かな交じり文', 8, '漢字か…'],
  ['𠀀𠀁𠀂𠀃', 5, '𠀀𠀁…'],
  ['⚠️⚠️⚠️⚠️', 5, '⚠️⚠️…'],
  ['한국어 진행', 6, '한국…'],
])('%s fits into %i columns', (text, columns, shown) => {
  expect(oneLine(text, columns)).toBe(shown)
})
