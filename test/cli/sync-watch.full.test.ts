// `precis sync --watch`: what changes is synced while it runs, and Ctrl-C leaves whole sessions.
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { until } from '../wait.ts'
import { eachPlace, sample } from './place.ts'
import { quietHost, type Ran, runPrecis } from './run.ts'

const place = eachPlace()
const NAME = '.codex/sessions/rollout-c0de0000-0000-4000-8000-000000000001.jsonl'
const LINES = readFileSync(sample('sessions/codex.jsonl'), 'utf8').trimEnd().split('\n')

interface Report {
  readonly unchanged: number
  readonly addedEvents: number
  readonly outcomes: Readonly<Record<string, number>>
  readonly threads: readonly { readonly threadId: string }[]
  readonly failed: readonly object[]
}

function put(name: string, text: string): string {
  const path = join(place().folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

/** Runs until it is stopped; `next` gives the next line that it prints. */
function watch(...args: readonly string[]) {
  const host = quietHost()
  const lines: string[] = []
  const ended = runPrecis(['sync', '--watch', ...args], {
    cwd: place().folder,
    environment: place().environment(),
    host,
    onOutput: (piece) => void lines.push(...piece.split('\n').filter(Boolean)),
  })
  const stop = (signal = 'SIGINT'): Promise<Ran> => {
    host.emit(signal)
    return ended
  }
  onTestFinished(async () => void (await stop()))
  const next = async (): Promise<string> => {
    await until('a line of the watch', () => lines.length > 0)
    return lines.shift() ?? ''
  }
  return { host, stop, next, report: async () => JSON.parse(await next()) as Report }
}

const sync = () => place().json<Report>(['sync'])

it('adds what is new while it runs: a session, its tail, and one that was rewritten', async () => {
  const path = put(NAME, `${LINES.slice(0, 9).join('\n')}\n`)
  const watching = watch('--json')
  const [first] = [await watching.report()]
  expect(first).toMatchObject({ outcomes: { new: 1 } })
  appendFileSync(path, `${LINES.slice(9).join('\n')}\n`)
  const grown = await watching.report()
  expect(grown.outcomes).toMatchObject({ new: 0, grown: 1, rewritten: 0 })
  expect(grown.threads[0]?.threadId).toBe(first?.threads[0]?.threadId)
  expect(grown.addedEvents).toBeLessThan(LINES.length - 5)
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll('kettle', 'teapot'))
  expect((await watching.report()).outcomes).toMatchObject({ grown: 0, rewritten: 1 })
  put('.codex/sessions/rollout-broken.jsonl', 'no record at all\n')
  expect((await watching.report()).failed).toHaveLength(1)
  const { status, stderr } = await watching.stop()
  expect(status).toBe(1)
  expect(stderr).toContain('1 session was not imported')
  expect(await sync()).toMatchObject({ unchanged: 1, addedEvents: 0 })
})

it('forgets that a session failed when it was imported after that', async () => {
  const path = put(NAME, 'no record at all\n')
  const watching = watch('--json')
  expect((await watching.report()).failed).toHaveLength(1)
  writeFileSync(path, `${LINES.join('\n')}\n`)
  expect((await watching.report()).outcomes).toMatchObject({ new: 1 })
  expect(await watching.stop()).toMatchObject({ status: 0 })
})

it('takes the rest of a line that was half written', async () => {
  const whole = `${LINES.join('\n')}\n`
  const path = put(NAME, whole.slice(0, -40))
  const watching = watch('--json')
  const [first] = (await watching.report()).threads
  appendFileSync(path, whole.slice(-40))
  const { outcomes, threads } = await watching.report()
  expect(outcomes).toMatchObject({ new: 0, rewritten: 0, grown: 1 })
  expect(threads[0]?.threadId).toBe(first?.threadId)
  expect((await watching.stop()).status).toBe(0)
})

it.each(['SIGINT', 'SIGTERM'])('says what it does, and ends by %s', async (signal) => {
  put(NAME, `${LINES.join('\n')}\n`)
  const watching = watch()
  expect(await watching.next()).toMatch(/^\d\d:\d\d:\d\d 1 session: 1 new, .* events? added\.$/)
  const { status, stderr } = await watching.stop(signal)
  expect(status).toBe(0)
  expect(stderr).toMatch(/^Watching for changes; Ctrl-C stops\.\nStopped\. \d+ events added\.\n$/)
  expect(watching.host.listenerCount(signal)).toBe(0)
  expect(await sync()).toMatchObject({ unchanged: 1, addedEvents: 0 })
})

it('leaves whole sessions where it is stopped while it imports', async () => {
  for (let at = 0; at < 30; at += 1)
    put(
      NAME.replace('0001.', `${1000 + at}.`),
      `${LINES.join('\n').replaceAll('kettle', `pot ${at}`)}\n`,
    )
  const watching = watch('--json')
  // The import listens as well as the watch.
  await until('the import', () => watching.host.listenerCount('SIGINT') === 2)
  const { status, stdout } = await watching.stop()
  expect(status).toBe(0)
  const { outcomes, left } = JSON.parse(stdout)
  expect(outcomes.new + left).toBe(30)
  expect(left).toBeGreaterThan(0)
  expect((await sync()).outcomes).toMatchObject({ new: left, grown: 0, continued: 0 })
})
