// An import that is killed at any write leaves a thread that says it is partial, and the next run completes it.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importedFrom } from '../../src/cli/session/replace-unchanged.ts'
import type { Store } from '../../src/core/ports.ts'
import { SESSION_FORMATS } from '../../src/formats/index.ts'
import { importSession } from '../../src/formats/reading/import-session.ts'
import { detectFormat, readSample, textSource } from '../../src/formats/reading/sample.ts'
import { inFolder } from '../../src/stores/contract/place.ts'
import { openSqliteStore } from '../../src/stores/sqlite/store.ts'
import { createThreads } from '../../src/threads/threads.ts'
import { runPrecis } from '../cli/run.ts'
import { Random } from '../generate/random.ts'
import { testClock, testIds } from '../generate/test-log.ts'
import { inTurn, SEED, scaled } from '../scale.ts'

/** When no append is left, nothing is written any more. */
function killedAfter(store: Store, appends: { left: number }): Store {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        if (name === 'append') appends.left -= 1
        if (appends.left < 0) return Promise.reject(new Error('killed'))
        return Reflect.apply(value, target, args)
      }
    },
  })
}

/** How many appends were left when the import came to its end; undefined where it was killed before. */
async function importUntilKilled(
  path: string,
  text: string,
  most: number,
): Promise<number | undefined> {
  const appends = { left: most }
  const store = await openSqliteStore(path)
  const threads = createThreads({
    store: killedAfter(store, appends),
    clock: testClock(),
    ids: testIds(),
  })
  const digest = createHash('sha256').update(text).digest('hex')
  const source = importedFrom(digest, new Date())
  const format = detectFormat(await readSample(textSource(text)), SESSION_FORMATS)
  try {
    await importSession(threads, format, textSource(text), { source })
    return appends.left
  } catch (thrown) {
    if (!(thrown instanceof Error) || thrown.message !== 'killed') throw thrown
    return undefined
  } finally {
    await store.close()
  }
}

/** Every thread, without what is different in each run: ids, and when it was imported. */
async function logsOf(path: string): Promise<readonly string[]> {
  const store = await openSqliteStore(path)
  const { items } = await store.list({ limit: 1000 })
  const logs: string[] = []
  const ids = items.map(({ threadId }) => threadId)
  // Sub-threads are named after it.
  const main = ids.find((id) => ids.every((other) => other.startsWith(id))) ?? ''
  for (const threadId of ids) {
    const rows = await store.read(threadId)
    const bare = rows.map(({ id: _, ...row }) => JSON.stringify(row))
    logs.push(
      bare
        .join('\n')
        .replaceAll(main, 'thr')
        .replaceAll(
          /"(?:at|file|agent|project)":"[^"]+",?|"runId":"[^"]+"|"durationMs":[\d.]+/g,
          '',
        ),
    )
  }
  await store.close()
  return logs.toSorted().join('\n').split('\n')
}

interface Listed {
  readonly threadId: string
  readonly isPartial?: true
}

const sample = (name: string) => readFileSync(`samples/${name}`, 'utf8')

/** Several batches, with a time in each record so that runs can be compared. */
function longSession(): string {
  const long = { ...JSON.parse(sample('sessions/claude-code.jsonl').split('\n')[0] ?? '') }
  return Array.from({ length: 1_250 }, (_, n) =>
    JSON.stringify({
      ...long,
      ...{ type: 'user', uuid: `u${n}`, parentUuid: n === 0 ? null : `u${n - 1}` },
      timestamp: new Date(Date.UTC(2026, 0, 2) + n).toISOString(),
      message: { role: 'user', content: `message ${n}` },
    }),
  ).join('\n')
}

const FILES: Readonly<Record<string, () => string>> = {
  'claude-code.jsonl': () => sample('sessions/claude-code.jsonl'),
  'codex.jsonl': () => sample('sessions/codex.jsonl'),
  'opencode.json': () => sample('sessions/opencode.json'),
  'pi.jsonl': () => sample('sessions/pi.jsonl'),
  'long.jsonl': longSession,
}

describe.each(Object.entries(FILES))('an import of %s', (name, read) => {
  it('that is killed at any write is partial, and whole after the next run', () =>
    inFolder(async (folder) => {
      const text = read()
      const file = join(folder, name)
      writeFileSync(file, text)
      const run = async (path: string, ...args: string[]) => {
        const environment = { PRECIS_HOME: join(folder, 'home'), PRECIS_STORE: path }
        return runPrecis(args, { cwd: folder, environment })
      }
      const whole = join(folder, 'whole.db')
      expect((await run(whole, 'import', file)).status).toBe(0)
      const expected = await logsOf(whole)
      const points = await killPoints(join(folder, 'count.db'), text)
      for (const point of points) {
        const path = join(folder, `killed-${point}.db`)
        expect(await importUntilKilled(path, text, point)).toBeUndefined()
        const list = async (): Promise<Listed[]> =>
          JSON.parse((await run(path, 'threads', '--json')).stdout)
        const [main] = (await list()).filter(({ isPartial }) => isPartial)
        expect(main, `killed at write ${point}, seed ${SEED}`).toBeDefined()
        expect((await run(path, 'threads')).stdout).toContain('(partial import)')
        expect((await run(path, 'store', 'check', path)).stdout).toContain('partial import')
        const again = await run(path, 'import', file)
        expect(again, `killed at write ${point}`).toMatchObject({ status: 0, stderr: '' })
        expect(again.stdout).toContain('this one continued it')
        expect((await list()).filter(({ isPartial }) => isPartial)).toEqual([])
        expect((await run(path, 'store', 'check', path)).stdout).not.toContain('partial')
        const logs = await logsOf(path)
        const other = logs.findIndex((line, index) => line !== expected[index])
        expect(logs[other], `killed at write ${point}`).toBe(expected[other])
        expect(logs).toHaveLength(expected.length)
      }
    }))
})

const MOST_APPENDS = 10_000

/** Some of the writes of an import at random, with the first and the last; in the fast tier fewer. */
async function killPoints(path: string, text: string): Promise<readonly number[]> {
  const left = await importUntilKilled(path, text, MOST_APPENDS)
  const all = MOST_APPENDS - (left ?? 0)
  const random = new Random(SEED)
  const points = new Set(inTurn([1, all - 1], text.length))
  for (let more = scaled(20); more > 0; more -= 1) points.add(random.int(1, all - 1))
  return [...points].toSorted((one, other) => one - other)
}
