// The sessions on this machine: found, listed, chosen by id, and taken into the store once.
import { appendFileSync, cpSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eachPlace, messages, sample } from './place.ts'
import { runPrecis } from './run.ts'

const place = eachPlace()

interface Listed {
  id: string
  agent: string
  path: string
  project?: string
  title?: string
  bytes: number
  costUsd?: number
}

interface Synced {
  sessions: number
  unchanged: number
  outcomes: Record<string, number>
  addedEvents: number
  threads: { threadId: string; outcome: string }[]
  failed: { session: string }[]
}

const CLAUDE = '.claude/projects/-quay/11111111-2222-4333-8444-555555555555.jsonl'
const CODEX =
  '.codex/sessions/2026/03/01/rollout-2026-03-01T09-00-00-c0de0000-0000-4000-8000-000000000001.jsonl'
const PI = '.pi/agent/sessions/--kettle--/2026-03-01_99999999-2222-4333-8444-555555555555.jsonl'

/** Puts a session where its agent keeps it, so many minutes old. */
function put(name: string, from: string | Buffer, minutes: number): string {
  const path = join(place().folder, name)
  mkdirSync(dirname(path), { recursive: true })
  if (typeof from === 'string') cpSync(from, path)
  else writeFileSync(path, from)
  const time = new Date(Date.UTC(2026, 9, 1) - minutes * 60_000)
  utimesSync(path, time, time)
  return path
}

function putAll(): void {
  put(CLAUDE, sample('session.jsonl'), 30)
  put(CODEX, sample('sessions/codex.jsonl'), 20)
  put(PI, sample('sessions/pi.jsonl'), 10)
}

const list = (...args: string[]) => place().json<Listed[]>(['sessions', ...args])
const sync = (...args: string[]) => place().json<Synced>(['sync', ...args])

describe('precis sessions', () => {
  it('finds the sessions of each agent, newest first, with project, title, size and cost', async () => {
    putAll()
    const found = await list()
    expect(found.map(({ agent }) => agent)).toEqual(['pi', 'codex', 'claude-code'])
    const [, codex, claude] = found
    expect(codex).toMatchObject({ project: '/kettle', id: 'c0de0000-0000-4000-8000-000000000001' })
    expect(claude?.bytes).toBe(readFileSync(sample('session.jsonl')).length)
    expect(claude?.title).toMatch(/\w+ \w+/)
    expect(claude?.costUsd).toBeGreaterThan(0)
    expect(await list()).toEqual(found) // from what it kept
  })

  it('takes filters, other folders, and this directory', async () => {
    putAll()
    expect((await list('--agent', 'codex')).map(({ agent }) => agent)).toEqual(['codex'])
    expect((await list('--project', 'KETTLE')).map(({ agent }) => agent)).toEqual(['pi', 'codex'])
    expect((await list('--last')).map(({ agent }) => agent)).toEqual(['pi'])
    expect(await list('--here')).toEqual([])
    const record = {
      type: 'user',
      cwd: place().folder,
      uuid: 'a',
      parentUuid: null,
      sessionId: 's',
    }
    const message = { role: 'user', content: 'Say where we are.' }
    put(
      '.claude/projects/-here/aaaaaaaa.jsonl',
      Buffer.from(`${JSON.stringify({ ...record, message })}\n`),
      1,
    )
    expect(await list('--here')).toMatchObject([{ title: 'Say where we are.' }])
    const env = { PRECIS_SESSION_FOLDERS: '{"codex": ["elsewhere"]}' }
    put('elsewhere/x.jsonl', sample('sessions/codex.jsonl'), 1)
    const moved = await place().json<Listed[]>(['sessions', '--agent', 'codex'], { env })
    expect(moved.map(({ path }) => path)).toEqual([join(place().folder, 'elsewhere/x.jsonl')])
    const wrong = await place().precis(['sessions', '--agent', 'codx'])
    expect((await place().precis(['sync', '--agent', 'codx'])).stderr).toContain(
      'Unknown agent: codx',
    )
    expect(wrong.status).toBe(2)
    expect(wrong.stderr).toContain('Did you mean codex?')
  })

  it('lists what a sub-agent of Codex did only where it is named, and takes no word of it for the user’s', async () => {
    const main = readFileSync(sample('sessions/codex.jsonl'), 'utf8')
    put(CODEX, Buffer.from(main), 20)
    const [first = '', ...lines] = main.split('\n')
    const { payload, ...meta } = JSON.parse(first)
    const source = { subagent: { thread_spawn: { depth: 1 } } }
    const side = [JSON.stringify({ ...meta, payload: { ...payload, source } }), ...lines]
    const name = CODEX.replace('c0de0000', 'c0de1111')
    put(name, Buffer.from(side.join('\n')), 10)
    expect(await list()).toHaveLength(1)
    expect(await list('--last')).toMatchObject([{ id: expect.stringMatching(/^c0de0000/) }])
    expect((await list('.codex/sessions')).map(({ title }) => title)).toEqual([
      undefined,
      expect.any(String),
    ])
    expect((await place().precis(['inspect', 'c0de1111'])).stdout).toContain('tokens')
  })

  it('counts what sub-agents cost with the session that started them', async () => {
    const answers = async () => {
      const { rows } = await place().json<{ rows: { sessions: number; answers: number }[] }>([
        ...['sessions', '--by', 'agent'],
      ])
      expect(rows.map(({ sessions }) => sessions)).toEqual([1])
      return rows[0]?.answers ?? 0
    }
    put(CLAUDE, sample('session.jsonl'), 30)
    const alone = await answers()
    const text = readFileSync(sample('session.jsonl'), 'utf8')
    const side = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.stringify({ ...JSON.parse(line), isSidechain: true }))
    put(CLAUDE.replace('.jsonl', '/subagents/agent-a1.jsonl'), Buffer.from(side.join('\n')), 20)
    expect(await answers()).toBe(2 * alone)
    expect(await list()).toHaveLength(1)
  })

  it('sums up by day, model and project', async () => {
    putAll()
    for (const by of ['day', 'model', 'project', 'agent']) {
      const { rows } = await place().json<{ rows: { name: string; promptTokens: number }[] }>([
        ...['sessions', '--by', by],
      ])
      expect(rows.length).toBeGreaterThan(0)
      expect(rows.every(({ promptTokens }) => promptTokens > 0)).toBe(true)
    }
    const { rows } = await place().json<{ rows: { name: string; answers: number }[] }>([
      ...['sessions', '--by', 'project'],
    ])
    expect(rows.find(({ name }) => name === '/kettle')?.answers).toBeGreaterThan(4)
  })

  it('fits the terminal', async () => {
    putAll()
    for (const columns of [60, 80, 132])
      for (const args of [['sessions'], ['sessions', '--by', 'project']]) {
        const environment = place().environment()
        const ran = await runPrecis(args, { cwd: place().folder, environment, columns })
        // biome-ignore lint/suspicious/noControlCharactersInRegex: colours take no room
        const lines = ran.stdout.replace(/\u001b\[\d+m/g, '').split('\n')
        expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(columns)
      }
  })
})

describe('a session', () => {
  it('is named by any beginning of its id that no other one has', async () => {
    putAll()
    for (const id of ['1', '9999', 'c0d', 'c0de00']) {
      const { stdout, stderr } = await place().precis(['inspect', id])
      expect(stdout, stderr).toContain('tokens')
    }
  })

  it.each([['compact', '--in-place'], ['compact'], ['undo'], ['redo']])(
    'is changed only where six characters of its id or all of it are given: %s %s',
    async (command, ...flags) => {
      putAll()
      const short = put('.claude/projects/-quay/abc.jsonl', sample('session.jsonl'), 5)
      const before = readFileSync(join(place().folder, CLAUDE), 'utf8')
      for (const id of ['1', '11111']) {
        const { status, stderr } = await place().precis([command, id, ...flags])
        expect(status, stderr).toBe(2)
        expect(stderr).toContain(`${id} is too short for a command that changes a session`)
        expect(stderr).toContain('at least 6 characters: 11111111-2222-4333-8444-555555555555')
      }
      expect(readFileSync(join(place().folder, CLAUDE), 'utf8')).toBe(before)
      for (const id of ['111111', 'abc'])
        expect((await place().precis([command, id, ...flags])).stderr).not.toContain('too short')
      const isChanged = readFileSync(short, 'utf8') !== before
      expect(isChanged).toBe(flags.length > 0)
    },
  )

  it('is named by its id, as the newest, as one of several files, or by its directory', async () => {
    putAll()
    const { input } = await place().json<{ input: { source: string } }>(['inspect', 'c0de00'])
    expect(input.source).toContain(CODEX)
    const last = await place().json<{ input: { source: string } }>(['inspect', '--last'])
    expect(last.input.source).toContain(PI)
    const several = await place().json<{ session: string; report: { events: number } }[]>([
      ...['inspect', CLAUDE, CODEX],
    ])
    expect(several.map(({ session }) => session)).toEqual([CLAUDE, CODEX])
    const below = await place().json<{ session: string }[]>(['compact', '.codex', PI])
    expect(below).toHaveLength(2)
    const out = await place().precis(['export', CODEX, PI, '--to', 'markdown', '--out', 'pages'])
    expect(out.status).toBe(0)
    const page = PI.replace('.jsonl', '.md')
    expect(place().read(join('pages', page))).toMatch(/^# /)
    const none = await place().precis(['inspect', 'deadbeef'])
    expect(none.status).toBe(1)
    const both = await place().precis(['inspect', CODEX, '--last'])
    expect(both.status).toBe(2)
    place().write('broken.json', '{"messages": [')
    const mixed = await place().precis(['inspect', 'broken.json', CODEX, '--json'])
    expect(mixed.status).toBe(1)
    expect(JSON.parse(mixed.stdout)).toMatchObject([{ error: {} }, { report: {} }])
  })
})

describe('a ref of a hook', () => {
  it('is read in the session that it names, and in no other one', async () => {
    putAll()
    place().write('beta.jsonl', readFileSync(sample('sessions/pi.jsonl')))
    const copy = '11111111-2222-4333-8444-555555555555.jsonl'
    place().write(copy, readFileSync(sample('session.jsonl')))
    const ref = '11111111-2222:e2'
    const { text } = await place().json<{ text: string }>(['show', ref])
    for (const same of [CLAUDE, copy, '1111', `./${copy}`])
      expect(await place().json(['show', ref, '--in', same])).toMatchObject({ text })
    const [imported] = await place().json<{ threadId: string }[]>(['import', CLAUDE])
    const [other] = await place().json<{ threadId: string }[]>(['import', 'beta.jsonl'])
    expect(await place().json(['show', ref, '--in', imported?.threadId ?? ''])).toMatchObject({
      text,
    })
    for (const flags of [
      ['--in', 'beta.jsonl'],
      ['--in', CODEX],
      ['--in', other?.threadId ?? ''],
      ['--in', '-'],
      ['--last'],
    ]) {
      const ran = await place().precis(['show', ref, ...flags], { input: messages() })
      expect({ status: ran.status, stdout: ran.stdout }).toEqual({ status: 2, stdout: '' })
      expect(ran.stderr).toContain('is not the session 11111111-2222')
      expect(ran.stderr).toContain('precis show e2 --in')
    }
  })
})

describe('precis export --full', () => {
  it.each(['markdown', 'html'])(
    'writes the whole transcript with its compactions as %s',
    async (to) => {
      const file = sample('sessions/claude-code.jsonl')
      const context = await place().precis(['export', file, '--to', to])
      expect(context.stderr).toContain('--full writes everything that was said before, too')
      const full = await place().precis(['export', file, '--to', to, '--full'])
      expect(full.status).toBe(0)
      expect(full.stdout.length).toBeGreaterThan(context.stdout.length)
      expect(full.stdout).toContain('Compaction by the agent')
      // Every line of the table leads to a place on the page.
      const links = [...full.stdout.matchAll(/(?:href="|\]\()#(s\d+)/g)].map(([, id]) => id)
      expect(links.length).toBeGreaterThan(1)
      for (const id of links) expect(full.stdout).toContain(`id="${id}"`)
    },
  )

  it('is for pages', async () => {
    const file = sample('sessions/codex.jsonl')
    expect((await place().precis(['export', file, '--to', 'codex', '--full'])).status).toBe(2)
  })
})

describe('precis check', () => {
  it('knows a file of Cline, and finds nothing wrong with a call that waits, whoever it is for', async () => {
    const asked = {
      role: 'user',
      content: '<task>\nLook.\n</task>\n<environment_details>x</environment_details>',
    }
    const call = { type: 'tool_use', id: 'a', name: 'read_file', input: { path: 'x' } }
    const open = [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: [call] },
    ]
    place().write('cline.json', JSON.stringify([asked, { role: 'assistant', content: 'Done.' }]))
    place().write('open.json', JSON.stringify({ messages: open }))
    const cline = await place().json<{ input: object }>([
      'check',
      'cline.json',
      '--provider',
      'anthropic',
    ])
    expect(cline.input).toMatchObject({ format: 'cline', kind: 'session' })
    for (const provider of ['anthropic', 'openai-chat', 'openai-responses', 'gemini'])
      expect(await place().json(['check', 'open.json', '--provider', provider])).toMatchObject({
        violations: [],
      })
  })
})

describe('precis sync', () => {
  it('adds nothing the second time', async () => {
    putAll()
    const first = await sync()
    expect(first).toMatchObject({ sessions: 3, outcomes: { new: 3 }, failed: [] })
    expect(await sync()).toMatchObject({ unchanged: 3, addedEvents: 0, threads: [] })
    // Without what it kept, the store itself says that they are there.
    const again = await place().json<{ outcome: string }[]>(['import', CLAUDE, CODEX, PI])
    expect(again.map(({ outcome }) => outcome)).toEqual(['known', 'known', 'known'])
    expect(await place().json<object[]>(['threads', '--limit', '100'])).toHaveLength(
      first.threads.length,
    )
  })

  it.each([
    ['claude-code', CLAUDE, 'session.jsonl'],
    ['codex', CODEX, 'sessions/codex.jsonl'],
    ['pi', PI, 'sessions/pi.jsonl'],
  ])('adds the new end of a session of %s only', async (_, name, from) => {
    const lines = readFileSync(sample(from), 'utf8').trimEnd().split('\n')
    const cut = Math.floor(lines.length * 0.7)
    const path = put(name, Buffer.from(`${lines.slice(0, cut).join('\n')}\n`), 10)
    const { threads, addedEvents } = await sync()
    appendFileSync(path, `${lines.slice(cut).join('\n')}\n`)
    const grown = await sync()
    expect(grown.outcomes).toMatchObject({ grown: 1, new: 0, rewritten: 0 })
    expect(grown.threads[0]?.threadId).toBe(threads[0]?.threadId)
    expect(grown.addedEvents).toBeGreaterThan(0)
    const whole = await place().json<{ events: number }[]>(['import', sample(from)], {
      env: { PRECIS_HOME: join(place().folder, 'other') },
    })
    // A stretch of records that was cut in two is two events.
    expect(addedEvents + grown.addedEvents - (whole[0]?.events ?? 0)).toBeLessThanOrEqual(2)
    expect((await sync()).addedEvents).toBe(0)
  })

  it.each([
    ['claude-code', CLAUDE, 'session.jsonl', '11111111'],
    ['codex', CODEX, 'sessions/codex.jsonl', 'c0de0000'],
    ['pi', PI, 'sessions/pi.jsonl', '99999999'],
  ])('adds a compaction in place of a session of %s that it knows', async (_, name, from, id) => {
    const path = put(name, sample(from), 10)
    const [before] = (await sync()).threads
    const budget = from === 'session.jsonl' ? ['--budget', '50%'] : ['--strategy', 'drop-turns']
    await place().json(['compact', id, '--in-place', ...budget])
    const grown = await sync()
    expect(grown.failed).toEqual([])
    expect(grown.outcomes).toMatchObject({ grown: 1, new: 0, rewritten: 0 })
    expect(grown.threads[0]?.threadId).toBe(before?.threadId)
    const [listed] = await place().json<{ tokens: number }[]>(['threads'])
    const { before: inFile } = await place().json<{ before: { total: number } }>(['compact', path])
    expect(listed?.tokens).toBe(inFile.total)
    expect((await sync()).addedEvents).toBe(0)
  })

  it('recognises a session that was rewritten, and names the thread of what it said before', async () => {
    const path = put(CODEX, sample('sessions/codex.jsonl'), 10)
    const [before] = (await sync()).threads
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('kettle', 'teapot'))
    const { outcomes, threads } = await sync()
    expect(outcomes).toMatchObject({ rewritten: 1 })
    const listed = await place().json<{ threadId: string; replaces?: string }[]>(['threads'])
    const found = listed.find(({ threadId }) => threadId === threads[0]?.threadId)
    expect(found?.replaces).toBe(before?.threadId)
  })

  it('says of a session that lost its end that it was shortened, and adds nothing', async () => {
    const path = put(CODEX, sample('sessions/codex.jsonl'), 10)
    const [before] = (await sync()).threads
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    writeFileSync(path, `${lines.slice(0, -3).join('\n')}\n`)
    const { outcomes, threads, addedEvents } = await sync()
    expect(outcomes).toMatchObject({ grown: 0, rewritten: 0, shortened: 1 })
    expect({ addedEvents, threads }).toMatchObject({
      addedEvents: 0,
      threads: [{ threadId: before?.threadId }],
    })
  })

  it.each([
    ['claude-code', CLAUDE, 'session.jsonl'],
    ['codex', CODEX, 'sessions/codex.jsonl'],
    ['pi', PI, 'sessions/pi.jsonl'],
  ])('knows a session of %s that got blank lines only', async (_, name, from) => {
    const path = put(name, sample(from), 10)
    const [before] = (await sync()).threads
    for (const blank of ['\n', '  \n\n']) {
      appendFileSync(path, blank)
      const [imported] = await place().json<{ threadId: string; outcome: string }[]>([
        ...['import', path],
      ])
      expect(imported).toMatchObject({ threadId: before?.threadId, outcome: 'known' })
      const { outcomes, addedEvents } = await sync()
      expect({ outcomes, addedEvents }).toMatchObject({
        outcomes: { known: 1, shortened: 0, rewritten: 0 },
        addedEvents: 0,
      })
    }
  })

  it('goes on with the other sessions where one is broken, and imports again into a new store', async () => {
    putAll()
    put('.codex/sessions/rollout-broken.jsonl', Buffer.from('no record at all\n'), 5)
    const { status, stdout } = await place().precis(['sync', '--json'])
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ outcomes: { new: 3 }, failed: [{}] })
    expect(await sync()).toMatchObject({ unchanged: 3, failedBefore: 1, failed: [] })
    expect((await place().precis(['sync'])).stdout).toMatch(
      /^4 sessions: .*3 unchanged, 1 failed before\./,
    )
    const env = { PRECIS_STORE: join(place().folder, 'other.db') }
    const other = await place().precis(['sync', '--json'], { env })
    expect(JSON.parse(other.stdout)).toMatchObject({ outcomes: { new: 3 } })
  })
})

describe('precis threads', () => {
  it('shows agent, project and size, and removes a thread for good', async () => {
    putAll()
    await sync()
    const listed = await place().json<
      { threadId: string; agent: string; project: string; tokens: number }[]
    >(['threads'])
    const codex = listed.find(({ agent }) => agent === 'codex')
    expect(codex).toMatchObject({ project: '/kettle' })
    expect(codex?.tokens).toBeGreaterThan(0)
    const removed = await place().json(['threads', 'rm', codex?.threadId ?? ''])
    expect(removed).toMatchObject({ removed: [codex?.threadId] })
    expect(await sync()).toMatchObject({ addedEvents: 0 })
    const left = await place().json<{ threadId: string }[]>(['threads'])
    expect(left).toHaveLength(listed.length - 1)
    const again = await place().precis(['threads', 'rm', codex?.threadId ?? ''])
    expect(again.status).toBe(1)
  })

  it('imports a file once', async () => {
    place().write('one.json', messages())
    const [first] = await place().json<{ threadId: string }[]>(['import', 'one.json'])
    const [again] = await place().json<{ threadId: string; outcome: string; added: number }[]>([
      ...['import', 'one.json'],
    ])
    expect(again).toMatchObject({ threadId: first?.threadId, outcome: 'known', added: 0 })
    expect(await place().json<object[]>(['threads'])).toHaveLength(1)
  })
})
