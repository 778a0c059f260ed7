// Slips at the command line that a newcomer makes, and what the command says or does about each.
import { EventEmitter } from 'node:events'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { wholeNumber } from '../../src/cli/terminal/arguments.ts'
import { oneLine } from '../../src/cli/terminal/terminal.ts'
import { eachPlace, sample } from './place.ts'
import { runPrecis } from './run.ts'

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

describe('several sessions', () => {
  const write = (name: string, from = CODEX) => {
    const path = join(place().folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, from === '' ? 'garbage\n' : readFileSync(from))
  }

  it.each([[['--out', 'out']], [['--in-place']]])(
    'are written only if all can be read: %s',
    async (flags) => {
      write('a.jsonl')
      write('b.jsonl', '')
      const before = readFileSync(join(place().folder, 'a.jsonl'), 'utf8')
      const { status, stderr } = await place().precis(['compact', 'a.jsonl', 'b.jsonl', ...flags])
      expect(status).toBe(1)
      expect(stderr).toContain('precis: b.jsonl: ')
      expect(stderr).toContain('1 of 2 sessions cannot be processed')
      expect(stderr).toContain('Nothing was written.')
      expect(existsSync(join(place().folder, 'out'))).toBe(false)
      expect(readFileSync(join(place().folder, 'a.jsonl'), 'utf8')).toBe(before)
    },
  )

  it('are refused where one of the results is there already', async () => {
    for (const name of ['a.jsonl', 'b.jsonl', 'out/b.jsonl']) write(name)
    const args = ['compact', 'a.jsonl', 'b.jsonl', '--out', 'out']
    const { status, stderr } = await place().precis(args)
    expect(status, stderr).toBe(1)
    expect(existsSync(join(place().folder, 'out/a.jsonl'))).toBe(false)
    expect((await place().precis([...args, '--force'])).status).toBe(0)
  })

  it('are refused where one of the results is a directory', async () => {
    for (const name of ['a.jsonl', 'b.jsonl', 'out/b.jsonl/x']) write(name)
    const args = ['compact', 'a.jsonl', 'b.jsonl', '--out', 'out', '--force']
    const { status, stderr } = await place().precis(args)
    expect(status, stderr).toBe(1)
    expect(stderr).toContain('is a directory')
    expect(stderr).toContain('Nothing was written.')
    expect(existsSync(join(place().folder, 'out/a.jsonl'))).toBe(false)
  })

  it.each(['--out', '--output'])('keep their places below the directory of %s', async (flag) => {
    for (const name of ['in/one/s.jsonl', 'in/two/s.jsonl', 'in/s.jsonl']) write(name)
    const { status, stderr } = await place().precis(['compact', 'in', flag, 'out'])
    expect(status, stderr).toBe(0)
    for (const name of ['one/s.jsonl', 'two/s.jsonl', 's.jsonl'])
      expect(existsSync(join(place().folder, 'out', name)), name).toBe(true)
  })

  it('are one where it is named twice', async () => {
    write('a.jsonl')
    const { folder } = place()
    symlinkSync('a.jsonl', join(folder, 'link.jsonl'))
    for (const [at, same] of [
      'a.jsonl',
      './a.jsonl',
      join(folder, 'a.jsonl'),
      'link.jsonl',
    ].entries()) {
      const out = `b${at}.jsonl`
      const args = ['compact', 'a.jsonl', same, '--out', out]
      const { status, stderr } = await place().precis(args)
      expect(status, stderr).toBe(0)
      expect(readFileSync(join(folder, out), 'utf8')).not.toBe('')
    }
  })

  it('are refused where two of them have one result', async () => {
    for (const name of ['one.jsonl', 'one.json']) write(name)
    const args = ['export', 'one.jsonl', 'one.json', '--to', 'markdown', '--out', 'out']
    for (const more of [[], ['--force']]) {
      const { status, stderr } = await place().precis([...args, ...more])
      expect(status).toBe(2)
      expect(stderr).toContain('one.jsonl and one.json have the same result')
      expect(existsSync(join(place().folder, 'out'))).toBe(false)
    }
  })
})

it.each([
  ['x', '"x" is not a whole number'],
  ['0', '"0" is out of range'],
  ['5000', '"5000" is out of range'],
  ['1M', '"1M" is out of range'],
  ['1m', '"1m" is out of range'],
])('a number says what is wrong with it: %s', async (given, message) => {
  const { status, stderr } = await place().precis(['threads', '--limit', given])
  expect(status).toBe(2)
  expect(stderr).toContain(message)
  expect(stderr).toContain('Give a whole number from 1 to 1,000, such as 50.')
})

it.each([
  [0, 9, '9'],
  [0, 65_535, '50 or 5k'],
  [1, 1_000_000, '50, 5k or 1m'],
  [100, 1_000, '100'],
])('numbers from %i to %i are shown in that range', (lowest, highest, examples) => {
  const hint = expect.stringMatching(new RegExp(`such as ${examples}\\.$`))
  expect(() => wholeNumber('x', '--limit', lowest, highest)).toThrow(
    expect.objectContaining({ hint }),
  )
})

it.each(['1m', '1M', '1000k', '1000K', '1000000'])('a budget of %s is a million', async (given) => {
  const { stdout } = await place().precis(['compact', CODEX, '--budget', given, '--json'])
  expect(JSON.parse(stdout).budgetTokens).toBe(1_000_000)
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

describe('remarks', () => {
  it.each([undefined, 60])('are wrapped and never cut, at %s columns', async (columns) => {
    const { stdout } = await place().precis(
      ['compact', sample('session.jsonl'), '--model', 'dev'],
      columns === undefined ? {} : { columns },
    )
    const remarks =
      stdout.split('remarks on the input and the output:\n')[1]?.split('\n\n')[0] ?? ''
    expect(remarks).not.toContain('…')
    expect(remarks.replace(/\s+/g, ' ')).toMatch(
      /wrote a one-line note instead [^…]*--strategy brief does, for one/,
    )
    expect(Math.max(...remarks.split('\n').map((line) => line.length))).toBeLessThanOrEqual(
      columns ?? 100,
    )
  })
})

describe('a strategy that asks a model', () => {
  it.each([
    ['compact', '--strategy', 'summarize'],
    ['compact', '--strategy', 'brief'],
    ['compact', '--strategy', 'keep-recent'],
    ['compact', '--strategy', 'fresh-session'],
    ['compact', '--strategy', 'chunked-fold'],
    ['exam', '--strategies', 'summarize'],
    ['exam', '--strategies', 'summarize,brief'],
  ])('%s %s %s: says that none is given', async (command, option, id) => {
    const { status, stdout, stderr } = await place().precis([
      command,
      sample('session.jsonl'),
      option,
      id,
    ])
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    const [first] = id.split(',')
    expect(stderr).toContain(`precis: The strategy ${first} needs a model, but no model is set\n`)
    expect(stderr.replace(/\s+/g, ' ')).toContain('hint: Add --model M')
  })

  it('is one line of the table where other strategies sit the exam', async () => {
    const { status, stdout } = await place().precis([
      'exam',
      sample('session.jsonl'),
      '--strategies',
      'extract,summarize',
    ])
    expect(status).toBe(0)
    expect(stdout).toMatch(
      / {2}summarize +The strategy summarize needs a model, but no model is set\n/,
    )
  })
})

describe('several sessions and one --out', () => {
  const two = [CODEX, sample('sessions/pi.jsonl')]

  it.each([
    ['export', ['--to', 'html', '--out', 'one.html'], 'one.html looks like one file', '--out one;'],
    ['compact', ['--out', 'one.jsonl'], 'one.jsonl looks like one file', '--out one;'],
    ['export', ['--to', 'html'], 'the results of 2 sessions need files', 'Add --out DIR'],
    [
      'export',
      ['--out', '-'],
      'the results of 2 sessions need files',
      'Name a directory: --out DIR',
    ],
    [
      'compact',
      ['--out', '-'],
      'the results of 2 sessions need files',
      'Name a directory: --out DIR',
    ],
    ['export', ['--out', 'there'], 'there is a file, and there are 2 sessions', 'Name a directory'],
  ])('%s %s: is refused, and nothing is made', async (command, flags, message, hint) => {
    place().write('there', 'mine')
    const { status, stdout, stderr } = await place().precis([command, ...two, ...flags])
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr.replace(/\s+/g, ' ')).toContain(hint)
    expect(place().left()).toEqual([])
    expect(place().read('there')).toBe('mine')
  })

  it('takes a directory that is there, whatever its name', async () => {
    mkdirSync(join(place().folder, 'pages.html'))
    const { status } = await place().precis([
      'export',
      ...two,
      '--to',
      'html',
      '--out',
      'pages.html',
    ])
    expect(status).toBe(0)
    expect(existsSync(join(place().folder, 'pages.html', 'codex.html'))).toBe(true)
  })

  it('says that none is done where all failed', async () => {
    for (const name of ['a.json', 'b.json']) place().write(name, '{"x":1}')
    const { status, stderr } = await place().precis(['inspect', 'a.json', 'b.json'])
    expect(status).toBe(1)
    expect(stderr).toContain('2 of 2 sessions failed')
    expect(stderr).toContain('None is done.')
  })
})

describe('Ctrl-C', () => {
  /** Sends the signal at once, or when this is printed. */
  async function stopped(args: readonly string[], at?: string) {
    const codes: number[] = []
    const host = Object.assign(new EventEmitter(), { exit: (code: number) => codes.push(code) })
    if (at === undefined) host.once('newListener', () => queueMicrotask(() => host.emit('SIGINT')))
    const onOutput = (piece: string) => {
      if (at !== undefined && piece.includes(at)) host.emit('SIGINT')
    }
    const { folder } = place()
    const ran = await runPrecis(args, {
      cwd: folder,
      environment: place().environment(),
      host,
      onOutput,
    })
    expect(host.eventNames().filter((name) => name !== 'newListener')).toEqual([])
    return { ...ran, codes }
  }

  it('on compact says that nothing was changed', async () => {
    place().write('a.jsonl', readFileSync(CODEX))
    const { stderr, codes } = await stopped(['compact', 'a.jsonl', '--in-place'])
    expect({ stderr, codes }).toEqual({ stderr: 'Stopped. Nothing was changed.\n', codes: [130] })
  })

  it('while the result is written lets it be written', async () => {
    place().write('a.jsonl', readFileSync(CODEX))
    const { stderr, codes, status } = await stopped(['compact', 'a.jsonl', '--in-place'], 'précis')
    expect({ stderr, codes, status }).toEqual({ stderr: '', codes: [], status: 0 })
  })

  it('between several counts those that are done', async () => {
    for (const name of ['a.jsonl', 'b.jsonl']) place().write(name, readFileSync(CODEX))
    const args = ['compact', 'a.jsonl', 'b.jsonl', '--in-place']
    const { stderr, codes } = await stopped(args, '==> b.jsonl')
    expect({ stderr, codes }).toEqual({
      stderr: 'Stopped. Done: 1 of 2 sessions. Nothing else was changed.\n',
      codes: [130],
    })
  })

  it('on import says what is left', async () => {
    place().write('a.jsonl', readFileSync(CODEX))
    const { stderr, codes } = await stopped(['import', 'a.jsonl'])
    expect({ stderr, codes }).toEqual({ stderr: 'Stopped. Nothing was imported.\n', codes: [130] })
  })
})

describe('advice', () => {
  it.each([
    [['inspect', 'zzzz'], 1, 'precis sessions lists'],
    [['handoff', 'zzz', '--to', 'pi'], 1, 'precis sessions lists'],
    [
      ['check', 'x.json', '--provider', 'openai'],
      2,
      'Did you mean openai-chat or openai-responses?',
    ],
    [['help', 'nope'], 2, "unknown command 'nope'"],
    [['help', 'inspekt'], 2, 'Did you mean inspect?'],
    [['threads', 'rm'], 2, 'See precis threads rm --help.'],
    [['token', 'add'], 2, 'See precis token add --help.'],
    [['token', 'add', '--nope', 'x'], 2, 'See precis token add --help.'],
    [['threads', '--nope'], 2, 'See precis threads --help.'],
  ])('of %j', async (args, code, advice) => {
    const { status, stdout, stderr } = await place().precis(args)
    expect({ status, stdout }).toEqual({ status: code, stdout: '' })
    expect(stderr.replace(/\s+/g, ' ')).toContain(advice)
  })

  it('of sessions --here counts those of other directories', async () => {
    const folder = join(place().folder, '.codex/sessions/2026/01/01')
    mkdirSync(folder, { recursive: true })
    const name = 'rollout-2026-01-01T00-00-00-0198c0de-0000-7000-8000-000000000001.jsonl'
    writeFileSync(join(folder, name), readFileSync(CODEX))
    const { stdout } = await place().precis(['sessions', '--here'])
    expect(stdout).toBe(
      'No sessions of this directory, and 1 of others: precis sessions lists them.\n',
    )
  })

  it('of export says that a session has no title', async () => {
    const args = ['export', CODEX, '--title', 'X', '--to', 'codex', '--out', 'x.jsonl']
    expect((await place().precis(args)).stdout).toContain('--title made no difference')
    const page = ['export', CODEX, '--title', 'X', '--out', 'x.html']
    expect((await place().precis(page)).stdout).not.toContain('--title')
  })

  it('names one event and a token that is revoked', async () => {
    await place().precis(['token', 'add', 'phone'])
    const { stdout } = await place().precis(['token', 'revoke', 'phone'])
    expect(stdout).toBe('The token phone is revoked.\n')
  })

  it('proposes nothing that changes the sample', async () => {
    for (const args of [['start'], ['compact', sample('session.jsonl')]]) {
      const { stdout } = await place().precis(args)
      expect(stdout).toContain('--out compacted.jsonl')
      expect(stdout).not.toContain('--in-place')
    }
    place().write('own.jsonl', readFileSync(sample('session.jsonl')))
    expect((await place().precis(['compact', 'own.jsonl'])).stdout).toContain('--in-place')
  })

  it('does not repeat a stand-in that made no difference', async () => {
    place().write('own.jsonl', readFileSync(sample('session.jsonl')))
    const next = async (...flags: string[]) =>
      (await place().precis(['compact', 'own.jsonl', ...flags])).stdout.split('Next:')[1]
    expect(await next('--model', 'dev')).not.toContain('--model')
    expect(await next('--model', 'dev', '--strategy', 'summarize')).toContain('--model dev')
  })
})
