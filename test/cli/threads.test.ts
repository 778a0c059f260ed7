// Threads of the store: imported, compacted, undone, forked, compared, searched, exported.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CommandReport } from '../../src/cli/compact/report.ts'
import { type Composed, compose } from '../../src/compose.ts'
import { openStore } from '../../src/stores/index.ts'
import { eachPlace, messages, sample } from './place.ts'

const place = eachPlace()
const TRIM = ['--strategy', 'trim-tool-results']

interface ImportedFile {
  threadId: string
  subThreads: string[]
  format: string
  compactions: number
  tokens: number
  records: { all: number; modelled: number; kept: Record<string, number> }
}

async function imported(file: string): Promise<ImportedFile> {
  const [first] = await place().json<ImportedFile[]>(['import', file])
  if (!first) throw new Error('nothing was imported')
  return first
}

/** The store of the place, as another process has it. */
async function opened(): Promise<Composed> {
  const composed = compose({ store: await openStore(`sqlite:${join(place().home, 'threads.db')}`) })
  onTestFinished(() => composed.close())
  return composed
}

it.each([60, 72, 80, 100, 200])('precis threads shows titles in %i columns', async (columns) => {
  await imported(sample('sessions/codex.jsonl'))
  const { stdout } = await place().precis(['threads'], { columns })
  const [line = ''] = stdout.split('\n')
  expect(line.length).toBeLessThanOrEqual(columns)
  const { stdout: listed } = await place().precis(['threads', '--json'])
  expect(line).toContain(JSON.parse(listed)[0].title.slice(0, 8))
})

it('precis doctor counts the threads that precis threads lists', async () => {
  await imported(sample('sessions/codex.jsonl'))
  const { store } = await opened()
  // A server keeps such threads for itself.
  const started = {
    v: 1,
    id: 'evt_1',
    timestamp: new Date(0),
    type: 'THREAD_STARTED',
    data: {},
  } as const
  await store.append('sys_ready', [{ ...started, threadId: 'sys_ready' }], { expectedVersion: 0 })
  const listed = await place().json<unknown[]>(['threads'])
  expect(listed).toHaveLength(1)
  const { stdout } = await place().precis(['doctor'])
  expect(stdout).toContain('it opens, and holds 1 thread\n')
})

describe('precis import', () => {
  it('accounts for every record, and lists the thread [NEED-20]', async () => {
    const told = await imported(sample('sessions/claude-code.jsonl'))
    expect(told).toMatchObject({
      format: 'claude-code',
      compactions: 1,
      subThreads: [expect.any(String)],
    })
    const { all, modelled, kept } = told.records
    const lines = readFileSync(sample('sessions/claude-code.jsonl'), 'utf8').trim().split('\n')
    expect(all).toBe(lines.length)
    expect(modelled + Object.values(kept).reduce((sum, count) => sum + count, 0)).toBe(all)
    const listed = await place().json<{ threadId: string }[]>(['threads'])
    expect(listed.map(({ threadId }) => threadId).sort()).toEqual(
      [told.threadId, ...told.subThreads].sort(),
    )
  })

  it('says so where the same file is there already, and makes no second thread', async () => {
    place().write('one.json', messages())
    place().write('other.json', messages().replace('done', 'ready'))
    const { threadId } = await imported('one.json')
    const [again, other] = await place().json<
      { threadId: string; outcome: string; earlier?: { threadId: string; at: string } }[]
    >(['import', 'one.json', 'other.json'])
    const at = expect.stringMatching(/^\d{4}-.*Z$/)
    expect(again).toMatchObject({ threadId, outcome: 'known', added: 0 })
    expect(again?.earlier).toEqual({ threadId, at, isPartial: false })
    expect(other).not.toHaveProperty('earlier')
    const { status, stdout } = await place().precis(['import', 'one.json'])
    expect(status).toBe(0)
    expect(stdout).toMatch(/Already imported on \d{4}-\d\d-\d\d \d\d:\d\d; nothing was added/)
    expect(stdout).toContain(`precis chat ${threadId}`)
    expect(await place().json<object[]>(['threads'])).toHaveLength(2)
  })

  it('lists imported threads by when they were last used', async () => {
    place().write('new.json', messages())
    const now = await imported('new.json')
    const { threadId, subThreads } = await imported(sample('sessions/claude-code.jsonl'))
    const listed = await place().json<{ threadId: string; createdAt: string; updatedAt: string }[]>(
      ['threads'],
    )
    const [latest, ...others] = listed.map((each) => each.threadId)
    expect(latest).toBe(now.threadId)
    expect(others.sort()).toEqual([threadId, ...subThreads].sort())
    for (const { createdAt, updatedAt } of listed) expect(createdAt <= updatedAt).toBe(true)
    expect(listed[1]?.createdAt).toMatch(/^2026-/)
  })

  it('takes what it can of several files, and leaves nothing of those it cannot', async () => {
    place().write('good.json', messages())
    place().write('bad.json', '{"messages": [')
    const { status, stdout, stderr } = await place().precis(['import', 'bad.json', 'good.json'])
    expect(status).toBe(1)
    expect(stdout).toMatch(/not imported bad\.json\n {2}the input is not JSON/)
    expect(stdout).toMatch(/^thr_\w+ {2}good\.json \(anthropic\)$/m)
    expect(stderr).toContain('1 of 2 files were not imported')
    expect(await place().json<object[]>(['threads'])).toHaveLength(1)
  })
})

describe('a thread', () => {
  it('weighs the same in every command, the system prompts included', async () => {
    const { threadId, tokens } = await imported(sample('sessions/claude-code.jsonl'))
    const { before } = await place().json<CommandReport>(['compact', threadId, '--dry-run'])
    expect(before.system).toBeGreaterThan(0)
    const inspected = await place().json<{ tokens: { total: number } }>(['inspect', threadId])
    const compared = await place().json<{ after: number }>(['diff', threadId, '--from', '0'])
    expect([tokens, inspected.tokens.total, compared.after]).toEqual(Array(3).fill(before.total))
    const undone = await place().json<{ before: number }>(['undo', threadId])
    expect(undone.before).toBe(before.total)
  })

  it('is compacted, compared, undone and brought back', async () => {
    const { threadId } = await imported(sample('session.jsonl'))
    const told = await place().json<CommandReport>(['compact', threadId, ...TRIM])
    expect(told).toMatchObject({ input: { kind: 'thread' }, result: { threadId } })
    expect(told.after.total).toBeLessThan(told.before.total / 2)
    const tokens = async () =>
      (await place().json<{ tokens: { total: number } }>(['inspect', threadId])).tokens.total
    expect(await tokens()).toBe(told.after.total)

    const shown = (await place().precis(['diff', threadId])).stdout
    expect(shown).toMatch(/^- e\d+ +[\d,]+ {2}result of Bash/m)
    expect(shown).toMatch(/^\+ c\d+\.\d+ +[\d,]+ {2}result of Bash/m)
    expect((await place().precis(['diff', threadId, '--full'])).stdout).toContain(
      '[results truncated to save space.]',
    )

    expect((await place().precis(['undo', threadId])).stdout).toMatch(
      /was undone: [\d,]+ → [\d,]+ tokens/,
    )
    expect(await tokens()).toBe(told.before.total)
    expect((await place().precis(['diff', threadId])).stderr).toMatch(
      /was undone\n {2}hint: precis redo thr_\w+ brings it back; --from \d+ --to \d+ shows/,
    )
    expect(await place().json(['redo', threadId])).toMatchObject({ threadId })
    expect(await tokens()).toBe(told.after.total)
  })

  it('stays as it is with --out and with --dry-run; a proposal is applied once, to what it was made for', async () => {
    const { threadId } = await imported(sample('session.jsonl'))
    const before = (await place().json<{ events: number }>(['inspect', threadId])).events
    await place().json(['compact', threadId, ...TRIM, '--to', 'anthropic', '--out', 'out.json'])
    const dry = await place().json<CommandReport>([
      'compact',
      threadId,
      ...TRIM,
      '--pin',
      'Mind the tide.',
      '--dry-run',
    ])
    expect((await place().json<{ events: number }>(['inspect', threadId])).events).toBe(before)
    const apply = ['compact', '--apply', dry.result.proposal ?? '']
    expect((await place().json<CommandReport>(apply)).after).toEqual(dry.after)
    expect(await place().json<{ text: string }[]>(['pins', threadId])).toContainEqual(
      expect.objectContaining({ text: 'Mind the tide.' }),
    )
    const again = await place().precis(apply)
    expect(again).toMatchObject({ status: 1, stdout: '' })
    expect(again.stderr).toContain('has changed since the proposal was created')
  })

  it('opens a fresh one beside it, and stays as it was', async () => {
    const { threadId } = await imported(sample('session.jsonl'))
    const told = await place().json<CommandReport>([
      ...['compact', threadId, '--strategy', 'fresh-session', '--model', 'dev'],
    ])
    expect(told.result.threadId).not.toBe(threadId)
    const listed = await place().json<{ threadId: string; title: string }[]>(['threads'])
    const titles = new Map(listed.map((each) => [each.threadId, each.title]))
    // It is called what it goes on with.
    expect(titles.get(told.result.threadId ?? '')).toBe(titles.get(threadId))
    expect(titles.get(threadId)).not.toBe('')
    expect((await place().precis(['undo', threadId])).status).toBe(1)
    const back = await place().precis(['undo', told.result.threadId ?? ''])
    expect(back.status).toBe(1)
    expect(back.stderr).toContain(`this thread began with a summary of ${threadId}`)
    expect(back.stderr).toContain(`precis chat ${threadId}`)
  })

  it('keeps a pinned entry, the pinned texts, the model and the settings in a fresh one [ALWAYS-21, FRESH-28]', async () => {
    const { threadId } = await imported(sample('session.jsonl'))
    const home = await opened()
    const settings = { preset: 'log', strategy: 'mask', workspace: '/somewhere' }
    await home.threads.append(threadId, [
      { type: 'MODEL_CHANGED', data: { model: 'dev/small', thinking: 'low' } },
      { type: 'THREAD_SETTINGS', data: settings },
    ])
    const { items } = await home.threads.context(threadId)
    const answer = items.toArray().find(({ calls }) => calls?.length)
    await home.threads.pin(threadId, { entries: answer ? [answer.id] : [] })
    const kept = (await home.threads.messages(threadId)).messages
    const before = JSON.stringify(await home.threads.getAllEvents(threadId))
    const told = await place().json<CommandReport>([
      ...['compact', threadId, '--strategy', 'fresh-session', '--model', 'dev'],
      ...['--pin', 'Mind the tide.'],
    ])
    const freshId = told.result.threadId ?? ''
    const fresh = await opened()
    expect(JSON.stringify(await fresh.threads.getAllEvents(threadId))).toBe(before)
    const { messages } = await fresh.threads.messages(freshId)
    const call = messages.find(({ parts }) => parts.some(({ type }) => type === 'tool_call'))
    expect(kept).toContainEqual(call)
    expect(JSON.stringify(messages)).toContain('Mind the tide.')
    expect((await fresh.threads.pins(freshId)).slice(0, 2)).toMatchObject([
      { entries: [expect.any(String)] },
      { text: 'Mind the tide.' },
    ])
    const state = await fresh.threads.state(freshId)
    expect(state.reduced.get('thread-settings')).toEqual({
      ...settings,
      model: 'dev/small',
      thinking: 'low',
    })
    const events = await fresh.threads.getAllEvents(freshId)
    expect(events.filter(({ type }) => type === 'COMPACTION')).toEqual([])
    const back = await place().precis(['redo', threadId])
    expect(back.stderr).toContain(`thread ${freshId} continues this one`)
  })

  it('is forked, in the present and in the past', async () => {
    const { threadId } = await imported(sample('session.jsonl'))
    const fork = (await place().precis(['fork', threadId])).stdout.trim()
    expect(fork).toMatch(/^thr_\w+$/)
    const past = await place().json<{ threadId: string }>(['fork', threadId, '--at', '10'])
    const eventsOf = async (id: string) =>
      (await place().json<{ events: number }>(['inspect', id])).events
    const [events, fewer] = [await eventsOf(fork), await eventsOf(past.threadId)]
    expect(fewer).toBeLessThan(20)
    expect(events).toBeGreaterThan(300)
    expect((await place().precis(['fork', threadId, '--at', '99999'])).status).toBe(2)
  })

  it('has pins that are set, listed, kept and removed', async () => {
    const { threadId } = await imported(sample('session.jsonl'))
    const set = await place().json<{ pinId: string }[]>([
      'pins',
      threadId,
      '--add',
      'One',
      '--add',
      'Two',
    ])
    expect(set).toHaveLength(2)
    await place().json(['compact', threadId, '--strategy', 'summarize', '--model', 'dev'])
    expect((await place().precis(['export', threadId, '--to', 'markdown'])).stdout).toMatch(
      /- One\b.*\n- Two\b/,
    )
    const left = await place().precis(['pins', threadId, '--remove', set[0]?.pinId ?? ''])
    expect(left.stdout).toContain('Two')
    expect(left.stdout).not.toContain('One')
    expect((await place().precis(['pins', threadId, '--remove', 'pin_0'])).status).toBe(1)
  })

  it('is searched after a compaction, and what is found is read word for word', async () => {
    const { threadId } = await imported(sample('session.jsonl'))
    await place().json(['compact', threadId, ...TRIM])
    const { finds } = await place().json<{ finds: { ref: string; snippet: string }[] }>([
      ...['recall', 'double', 'booking'],
    ])
    const [first] = finds
    expect(first?.ref).toMatch(new RegExp(`^${threadId}:e\\d+$`))
    const shown = await place().precis(['show', first?.ref ?? ''])
    expect(shown.status).toBe(0)
    expect(shown.stdout).toMatch(/double|booking/i)
    const inFile = await place().json<{ finds: { ref: string }[] }>([
      'recall',
      'migrations',
      '--in',
      sample('session.jsonl'),
    ])
    const ref = inFile.finds[0]?.ref ?? ''
    expect((await place().precis(['show', ref, '--in', sample('session.jsonl')])).stdout).toContain(
      'migrations',
    )
    const page = await place().json<{ text: string; next: number }>([
      'show',
      `${threadId}:${ref}`,
      '--limit',
      '10',
    ])
    expect(page.text).toHaveLength(10)
    expect((await place().precis(['recall', 'qqzzxxqq'])).stdout).toContain('Nothing was found')
  })
})

describe('precis export', () => {
  it('writes a thread back as the file it came from, to the byte', async () => {
    const file = sample('sessions/claude-code.jsonl')
    const { threadId } = await imported(file)
    const { status, stdout } = await place().precis(['export', threadId])
    expect(status).toBe(0)
    expect(stdout).toBe(readFileSync(file, 'utf8'))
  })

  it('tells what the format could not say, beside the result', async () => {
    const { status, stdout, stderr } = await place().precis([
      ...['export', sample('session.json'), '--to', 'claude-code'],
    ])
    expect(status).toBe(0)
    expect(stdout.split('\n').length).toBeGreaterThan(100)
    expect(stderr).toContain('the system prompt has no place')
    const html = await place().json([
      'export',
      sample('session.json'),
      '--to',
      'html',
      '--out',
      'page.html',
    ])
    expect(html).toMatchObject({ format: 'html', output: 'page.html' })
    expect(place().read('page.html')).toContain('<!doctype html>')
  })

  it('takes secrets out at the border, unless it is told not to', async () => {
    const key = `sk-ant-api03-${'a1B2'.repeat(20)}`
    place().write('s.json', JSON.stringify([{ role: 'user', content: `use ${key}` }]))
    const clean = await place().precis(['export', 's.json'])
    expect(clean.stdout).not.toContain(key)
    expect(clean.stderr).toContain('Taken out: 1 ')
    expect((await place().precis(['export', 's.json', '--raw'])).stdout).toContain(key)
  })
})

describe('precis diff', () => {
  it('compares two sessions by what they say', async () => {
    place().write('in.json', messages())
    await place().json(['compact', 'in.json', ...TRIM, '--out', 'out.json'])
    const told = await place().json<{ same: number; removed: object[]; added: object[] }>([
      'diff',
      'in.json',
      'out.json',
    ])
    expect(told).toMatchObject({ same: 3, removed: [{}], added: [{}] })
    expect((await place().precis(['diff', 'in.json', 'in.json'])).stdout).toContain('0 out, 0 in')
  })
})
