// What a check of a store finds, and what it mends.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { Random } from '../../test/generate/random.ts'
import { THREAD, threadsOn } from '../../test/kill/compact-threads.ts'
import { answer, result, thoughtAnswer, user } from '../../test/say.ts'
import type { Store } from '../core/ports.ts'
import { checkStore } from './check-store.ts'
import { inFolder, message, messages } from './contract/place.ts'
import { openSqliteStore } from './sqlite/store.ts'

/** A thread with a compaction, so with a snapshot. */
async function converse(store: Store): Promise<void> {
  const threads = threadsOn(store, new Random(7))
  await threads.create({ threadId: THREAD })
  for (let round = 0; round < 5; round += 1) {
    const call = `call_${round}`
    await threads.append(THREAD, [user('go on'), ...thoughtAnswer('hm', 'reading', call)])
    await threads.append(THREAD, [result(call, 'a line of output\n'.repeat(300))])
    await threads.append(THREAD, answer('read'))
  }
  await threads.compact(THREAD, 'tail-only')
}

/** A check of a store that was changed behind its back. */
async function checkDamaged(damage: string, isRepair = false) {
  let checks: Awaited<ReturnType<typeof checkStore>>[] = []
  await inFolder(async (folder) => {
    const path = join(folder, 'log.db')
    const store = await openSqliteStore(path)
    await converse(store)
    const db = new Sqlite(path)
    db.exec(`DROP TRIGGER events_never_change; ${damage}`)
    db.close()
    checks = [await checkStore(store, { isRepair }), await checkStore(store)]
    await store.close()
  })
  return checks
}

const DAMAGES: readonly (readonly [name: string, sql: string, problem: string])[] = [
  ['an event that is gone', 'DELETE FROM events WHERE seq = 3', 'an event is missing before it'],
  ['a row that cannot be read', `UPDATE events SET data = '{' WHERE seq = 3`, 'data'],
  [
    'a snapshot that is not what a replay gives',
    `UPDATE snapshots SET state = json_set(state, '$.context.forged', 1)`,
    'its snapshot is not what a replay gives',
  ],
  [
    'what was counted beside it and is not what a replay gives',
    `UPDATE snapshots SET state = json_set(state, '$.reducers[0].state', 'forged')`,
    'its snapshot is not what a replay gives',
  ],
  ...['5', '"x"', '[]', '{"reducers":"x"}', '{"reducers":[null]}'].map(
    (state) =>
      [
        `a snapshot that is ${state}`,
        `UPDATE snapshots SET state = '${state}'`,
        'its snapshot is not what a replay gives',
      ] as const,
  ),
]

describe('the check of a store', () => {
  it('finds nothing wrong with a healthy one', async () => {
    const [report] = await checkDamaged('')
    expect(report).toMatchObject({ threads: 1, problems: [] })
    expect(report?.events).toBeGreaterThan(20)
  })

  it.each(DAMAGES)('finds %s', async (_, sql, problem) => {
    const [report] = await checkDamaged(sql)
    expect(report?.problems.map((each) => each.problem).join('\n')).toContain(problem)
  })

  it('reads no snapshot of the fold that took a prompt of 0 tokens for a measure', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'log.db')
      const store = await openSqliteStore(path)
      await converse(store)
      const db = new Sqlite(path)
      const measured = JSON.stringify({ version: 4, tokens: 5, estimate: 900 })
      const sql = `UPDATE snapshots SET fold_version = 3, state = json_set(state, '$.context.measured', json(?))`
      expect(db.prepare(sql).run(measured).changes).toBe(1)
      db.close()
      const context = await threadsOn(store, new Random(7)).context(THREAD)
      expect(context.measured).toBeUndefined()
      expect((await checkStore(store)).problems).toEqual([])
      await store.close()
    }))

  it('goes on behind a thread whose pages are damaged, and names it', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'log.db')
      const store = await openSqliteStore(path)
      await converse(store)
      const ids = Array.from({ length: 60 }, (_, index) => `e${index}`)
      const long = ids.map((id) => message('damaged', id, 'DAMAGED '.repeat(100)))
      await store.append('damaged', long, { expectedVersion: 0 })
      await store.close()
      const file = readFileSync(path)
      const page = file.indexOf('DAMAGED DAMAGED', Math.floor(file.length * 0.7))
      file.fill(0xff, page - (page % 4096), page - (page % 4096) + 64)
      writeFileSync(path, file)
      const again = await openSqliteStore(path)
      const report = await checkStore(again)
      expect(report).toMatchObject({ threads: 2, problems: [{ threadId: 'damaged' }] })
      expect(report.problems[0]?.problem).toContain('damaged')
      await again.close()
    }))

  it('is not confused by what others append and delete meanwhile', () =>
    inFolder(async (folder) => {
      const store = await openSqliteStore(join(folder, 'log.db'))
      await converse(store)
      await store.append('gone', messages('gone', 'a'), { expectedVersion: 0 })
      const threads = threadsOn(store, new Random(8))
      let isFirst = true
      const report = await checkStore(store, {
        isRepair: true,
        onThread: async () => {
          if (!isFirst) return
          isFirst = false
          await store.delete('gone')
          await threads.append(THREAD, [user('go on'), ...answer('well')])
          await threads.compact(THREAD, 'tail-only')
        },
      })
      expect(report).toMatchObject({ threads: 1, problems: [] })
      await store.close()
    }))

  it('throws a wrong snapshot away and makes the index anew, where it may', async () => {
    const [, , snapshot] = DAMAGES
    const [repaired, after] = await checkDamaged(snapshot?.[1] ?? '', true)
    expect(repaired?.problems).toMatchObject([{ isMended: true }])
    expect(repaired?.isIndexRebuilt).toBe(true)
    expect(after?.problems).toEqual([])
  })
})
