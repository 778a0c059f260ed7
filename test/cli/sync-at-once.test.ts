// Several syncs of one store at once, and what a session that could not be imported is remembered by.
import { appendFileSync, cpSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { expect, it, onTestFinished } from 'vitest'
import type { Io } from '../../src/cli/process-io.ts'
import { Marks } from '../../src/cli/sessions/sync-marks.ts'
import { importAll, syncSessions } from '../../src/cli/sessions/sync-sessions.ts'
import { loadSettings } from '../../src/cli/settings/settings.ts'
import { ProgressLine } from '../../src/cli/terminal/progress.ts'
import { openHome } from '../../src/cli/threads/home.ts'
import { PrecisError } from '../../src/core/errors.ts'
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

it('tries a session again to whose thread another wrote just then', async () => {
  const path = put(CODEX, 'sessions/codex.jsonl')
  const { home, settings } = await openedHome()
  home.store.append = async () => {
    throw new PrecisError('version-conflict', 'another was first')
  }
  const marks = await Marks.open(settings, io())
  const { size: bytes, mtimeMs: updatedMs } = statSync(path)
  const session = { path, id: 'c0de', agent: 'codex', bytes, updatedMs } as const
  const outcomes = { new: 0, known: 0, continued: 0, grown: 0, rewritten: 0 }
  const work = { threads: [], failed: [], addedEvents: 0, left: 0, unchanged: 0, outcomes }
  const run = { marks, progress: new ProgressLine(io().stderr), goesOn: () => true }
  await importAll(home, [session], work, run, io())
  expect(work.failed).toMatchObject([{ message: 'another was first' }])
  expect(marks.isSame(session)).toBe(false)
})
