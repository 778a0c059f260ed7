// Several syncs of one store at once, and what a session that could not be imported is remembered by.
import { appendFileSync, cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { Io } from '../../src/cli/process-io.ts'
import { importGrown, underSyncLease } from '../../src/cli/sessions/import-grown.ts'
import { Marks } from '../../src/cli/sessions/sync-marks.ts'
import { importAll, syncSessions } from '../../src/cli/sessions/sync-sessions.ts'
import { loadSettings } from '../../src/cli/settings/settings.ts'
import { ProgressLine } from '../../src/cli/terminal/progress.ts'
import { openHome } from '../../src/cli/threads/home.ts'
import { importSessions } from '../../src/cli/threads/import-sessions.ts'
import type { Composed } from '../../src/compose.ts'
import { PrecisError } from '../../src/core/errors.ts'
import { until } from '../wait.ts'
import { eachPlace, PRECIS, sample } from './place.ts'
import { quietHost } from './run.ts'

const place = eachPlace()

interface Synced {
  unchanged: number
  outcomes: Record<string, number>
  threads: { threadId: string; outcome: string }[]
  failed: { session: string }[]
}

const CODEX = '.codex/sessions/rollout-c0de0000-0000-4000-8000-000000000001.jsonl'
const PI = '.pi/agent/sessions/--kettle--/2026-03-01_99999999-2222-4333-8444-555555555555.jsonl'

function put(name: string, from: string): string {
  const path = join(place().folder, name)
  mkdirSync(dirname(path), { recursive: true })
  cpSync(sample(from), path)
  return path
}

function io(): Io {
  const nowhere = () => new Writable({ write: (_piece, _encoding, done) => done() })
  return {
    stdin: Readable.from([]),
    stdout: nowhere(),
    stderr: nowhere(),
    environment: place().environment(),
    cwd: place().folder,
    script: PRECIS,
    host: quietHost(),
  }
}

const sync = () => place().json<Synced>(['sync'])
const threadIds = async () =>
  (await place().json<{ threadId: string }[]>(['threads', '--limit', '100'])).map(
    ({ threadId }) => threadId,
  )

async function openedHome() {
  const { settings } = loadSettings(io())
  const home = await openHome(settings, io())
  onTestFinished(() => home.close())
  return { home, settings }
}

it('imports each session once', async () => {
  put(CODEX, 'sessions/codex.jsonl')
  put(PI, 'sessions/pi.jsonl')
  const all = await Promise.all([sync(), sync(), sync()])
  expect(all.map(({ outcomes }) => outcomes.new).sort()).toEqual([0, 0, 2])
  expect(all.flatMap(({ failed }) => failed)).toEqual([])
  expect(await sync()).toMatchObject({ unchanged: 2, threads: [] })
  const again = await place().json<object[]>(['import', CODEX, PI])
  expect(again).toMatchObject([{ outcome: 'known' }, { outcome: 'known' }])
})

it('adds the new end of a session once', async () => {
  const path = put(CODEX, 'sessions/codex.jsonl')
  await sync()
  const before = await threadIds()
  const content = [{ type: 'input_text', text: 'Never push to main.' }]
  const payload = { type: 'message', role: 'user', content }
  appendFileSync(
    path,
    `${JSON.stringify({ timestamp: '2026-03-01T10:00:00.000Z', type: 'response_item', payload })}\n`,
  )
  const all = await Promise.all([sync(), sync()])
  expect(all.map(({ outcomes }) => outcomes.grown).sort()).toEqual([0, 1])
  expect(await threadIds()).toEqual(before)
})

it('leaves its sessions for the next time where another sync takes too long', async () => {
  put(CODEX, 'sessions/codex.jsonl')
  const { home } = await openedHome()
  await home.store.takeLease('sync sessions', 'another', 60_000)
  expect(await syncSessions({}, io(), 150)).toMatchObject({ left: 1, threads: [] })
  await home.store.releaseLease('sync sessions', 'another')
  expect(await sync()).toMatchObject({ outcomes: { new: 1 } })
})

it('remembers the thread of a session that cannot be read for now', async () => {
  const path = put(CODEX, 'sessions/codex.jsonl')
  const [made] = (await sync()).threads
  writeFileSync(path, 'no record at all\n')
  expect((await place().precis(['sync'])).status).toBe(1)
  const { settings } = loadSettings(io())
  expect((await Marks.open(settings, io())).threadOf(path)).toBe(made?.threadId)
})

/** As the file is now. */
function found(path: string, agent: 'claude-code' | 'codex' | 'pi') {
  const { size: bytes, mtimeMs } = statSync(path)
  return { path, id: 'one', agent, bytes, updatedMs: Math.floor(mtimeMs) } as const
}

/** One sync of one session. */
async function syncOne(home: Composed, marks: Marks, session: ReturnType<typeof found>) {
  const outcomes = { new: 0, known: 0, continued: 0, grown: 0, shortened: 0, rewritten: 0 }
  const work = { threads: [], failed: [], addedEvents: 0, left: 0, unchanged: 0, outcomes }
  const progress = new ProgressLine(io().stderr)
  const run = { marks, progress, failing: new Map(), goesOn: () => true }
  await importAll(home, [session], work, run, io())
  return work
}

it('tries a session again to whose thread another wrote just then', async () => {
  const session = found(put(CODEX, 'sessions/codex.jsonl'), 'codex')
  const { home, settings } = await openedHome()
  home.store.append = async () => {
    throw new PrecisError('version-conflict', 'another was first')
  }
  const marks = await Marks.open(settings, io())
  const { failed } = await syncOne(home, marks, session)
  expect(failed).toMatchObject([{ message: 'another was first' }])
  expect(marks.isSame(session)).toBe(false)
})

// The sample of pi goes back to an earlier message once: that is another conversation.
it.each([
  ['claude-code', 'session.jsonl', 0],
  ['codex', 'sessions/codex.jsonl', 0],
  ['pi', 'sessions/pi.jsonl', 1],
] as const)(
  'keeps a %s session that is written line by line in one thread',
  async (agent, from, branches) => {
    const path = join(place().folder, 'live.jsonl')
    const lines = readFileSync(sample(from), 'utf8').trimEnd().split('\n').slice(0, 120)
    const { home, settings } = await openedHome()
    const marks = await Marks.open(settings, io())
    const all = { new: 0, rewritten: 0 }
    for (const [index, line] of lines.entries()) {
      appendFileSync(path, `${line}\n`)
      if (index < 2) continue
      const { outcomes, failed } = await syncOne(home, marks, found(path, agent))
      expect(failed).toEqual([])
      all.new += outcomes.new
      all.rewritten += outcomes.rewritten
    }
    expect(all).toEqual({ new: 1, rewritten: branches })
  },
)

it('holds an answer back while its agent is at work, and takes it after that', async () => {
  const lines = readFileSync(sample('session.jsonl'), 'utf8').split('\n')
  const open = lines.findIndex((line) => /"type": ?"tool_use"/.test(line)) + 1
  const path = join(place().folder, 'live.jsonl')
  writeFileSync(path, `${lines.slice(0, open).join('\n')}\n`)
  const session = found(path, 'claude-code')
  const { home, settings } = await openedHome()
  const marks = await Marks.open(settings, io())
  const [made] = (await syncOne(home, marks, session)).threads as { threadId: string }[]
  await marks.save()
  const saved = await Marks.open(settings, io())
  expect(saved.isSame(session)).toBe(true)
  const later = new Date(session.updatedMs + 600_000)
  expect(saved.isSame(session, later)).toBe(false)
  const idle = { ...home, clock: { ...home.clock, now: () => later } }
  const { threads, addedEvents } = await syncOne(idle, saved, session)
  expect(threads).toMatchObject([{ threadId: made?.threadId, outcome: 'grown' }])
  expect(addedEvents).toBeGreaterThan(0)
  expect(saved.isSame(session, later)).toBe(true)
})

it('writes nothing after its lease was lost, and leaves the session for the next time', async () => {
  const session = found(put(CODEX, 'sessions/codex.jsonl'), 'codex')
  const { home, settings } = await openedHome()
  const marks = await Marks.open(settings, io())
  const waiting = { mostWaitMs: 0, isStopped: () => false, onWait: () => undefined }
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  await underSyncLease(home, waiting, async (leased, isOurs) => {
    home.store.takeLease = async () => false
    await vi.advanceTimersByTimeAsync(5_000)
    await until('the loss of the lease', () => !isOurs())
    expect(await syncOne(leased, marks, session)).toMatchObject({
      left: 1,
      failed: [],
      threads: [],
    })
  })
  expect(marks.isSame(session)).toBe(false)
  expect((await home.store.list({ limit: 1 })).items).toEqual([])
})

it('does not wait for another import after it was stopped', async () => {
  const session = found(put(CODEX, 'sessions/codex.jsonl'), 'codex')
  const { home, settings } = await openedHome()
  await home.store.takeLease('sync sessions', 'another', 60_000)
  const signal = AbortSignal.abort()
  await expect(importGrown(session, { home, settings, signal }, io())).rejects.toMatchObject({
    code: 'overloaded',
    message: 'Another import is running.',
  })
}, 10_000)

it('reads standard input before it keeps others waiting', async () => {
  put(CODEX, 'sessions/codex.jsonl')
  let isRead = false
  const stdin = new Readable({
    read() {
      isRead = true
    },
  })
  const importing = importSessions(['-'], { records: true }, { ...io(), stdin })
  await until('a look at standard input', () => isRead)
  expect(await syncSessions({}, io(), 150)).toMatchObject({ left: 0, outcomes: { new: 1 } })
  stdin.push(readFileSync(sample('sessions/pi.jsonl')))
  stdin.push(null)
  await importing
  expect(await threadIds()).toHaveLength(2)
})
