// Damaged stores: a copy takes all that can be read and lists the rest, and its target tells that it is partial.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { checkStore } from '../../src/stores/check-store.ts'
import { inFolder, message, messages } from '../../src/stores/contract/place.ts'
import { copyStore } from '../../src/stores/copy-store.ts'
import { memoryStore } from '../../src/stores/memory/memory.ts'
import { openSqliteStore } from '../../src/stores/sqlite/store.ts'
import { runPrecis } from '../cli/run.ts'

interface Damaged {
  readonly folder: string
  readonly from: string
  readonly to: string
  readonly precis: (...args: string[]) => ReturnType<typeof runPrecis>
}

/** A thread `t` of six events and a thread `other`; then the damage. */
async function onDamaged(sql: string, use: (place: Damaged) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')]
    const store = await openSqliteStore(from)
    await store.append('t', messages('t', 'a', 'b', 'c', 'd', 'e', 'f'), { expectedVersion: 0 })
    await store.append('other', messages('other', 'x'), { expectedVersion: 0 })
    await store.close()
    const db = new Sqlite(from)
    db.exec(`DROP TRIGGER events_never_change; ${sql}`)
    db.close()
    const precis = (...args: string[]) =>
      runPrecis(['store', ...args], { cwd: folder, environment: { PRECIS_HOME: folder } })
    await use({ folder, from, to, precis })
  })
}

const BROKEN: readonly (readonly [name: string, sql: string, problem: string])[] = [
  [
    'a timestamp',
    `UPDATE events SET timestamp = 'soon' WHERE id = 'c'`,
    'timestamp cannot be read',
  ],
  ['content', `UPDATE events SET data = '{' WHERE id = 'c'`, 'not JSON'],
  ['a source', `UPDATE events SET source = '[' WHERE id = 'c'`, 'not JSON'],
  ['an id', `UPDATE events SET id = '' WHERE id = 'c'`, 'id cannot be read'],
  ['a type', `UPDATE events SET type = char(7) WHERE id = 'c'`, 'type cannot be read'],
  ['a version', `UPDATE events SET v = -1 WHERE id = 'c'`, 'version cannot be read'],
  ['a missing row', `DELETE FROM events WHERE id = 'c'`, 'it is missing'],
]

describe('a copy of a store with damage', () => {
  it.each(BROKEN)('takes every other row: %s', (_, sql, problem) =>
    onDamaged(sql, async ({ from, to, precis }) => {
      const copied = await precis('copy', from, to)
      expect(copied.status).toBe(1)
      expect(copied.stdout).toContain('t 3: ')
      expect(copied.stdout).toContain(problem)
      const target = await openSqliteStore(to)
      const rows = await target.read('t')
      expect(rows.map(({ data }) => data)).toEqual(['a', 'b', expect.anything(), 'd', 'e', 'f'])
      expect(rows[2]).toMatchObject({ seq: 3, type: 'FOREIGN' })
      expect(await target.read('other')).toHaveLength(1)
      await target.close()
      const checked = await precis('check', to)
      expect(checked).toMatchObject({ status: 1, stdout: expect.stringContaining('t 3: not as') })
    }),
  )

  it('copies altered text as it is, and the target says so until it is accepted', () =>
    onDamaged(`UPDATE events SET data = '"forged"' WHERE id = 'c'`, async (place) => {
      const { from, to, precis } = place
      for (const flags of [[], ['--repair'], ['--repair', '--accept']])
        expect(await precis('check', from, ...flags)).toMatchObject({
          status: 1,
          stdout: expect.stringContaining('t 3: it is not what was written'),
        })
      expect((await precis('copy', from, to)).status).toBe(1)
      expect((await precis('check', to, '--repair')).status).toBe(1)
      expect((await precis('check', to, '--accept')).status).toBe(2)
      const accepted = await precis('check', to, '--repair', '--accept')
      expect(accepted).toMatchObject({ status: 0, stdout: expect.stringContaining('accepted') })
      expect(accepted.stdout).toContain('t 3')
      expect((await precis('check', to)).status).toBe(0)
    }))

  it('is noted until it is accepted, also where the thread is gone from the source', () =>
    onDamaged(`UPDATE events SET timestamp = 'soon' WHERE id = 'f'`, async (place) => {
      const { from, to, precis } = place
      expect((await precis('copy', from, to)).status).toBe(1)
      expect((await precis('copy', from, to)).status).toBe(1)
      const source = await openSqliteStore(from)
      await source.delete('t')
      await source.close()
      expect((await precis('copy', from, to)).status).toBe(1)
      expect((await precis('check', to)).stdout).toContain('t 6: not as')
      expect((await precis('check', to, '--repair', '--accept')).status).toBe(0)
      expect((await precis('check', to)).status).toBe(0)
      expect((await precis('copy', from, to)).status).toBe(0)
    }))

  it('of a partial copy is partial as well', () =>
    onDamaged(`UPDATE events SET timestamp = 'soon' WHERE id = 'c'`, async (place) => {
      const { folder, from, to, precis } = place
      const third = join(folder, 'third.db')
      await precis('copy', from, to)
      expect((await precis('copy', to, third)).status).toBe(1)
      expect((await precis('check', third)).stdout).toContain('t 3')
    }))

  it('that was interrupted leaves a target that says so', async () => {
    const [from, to] = [memoryStore(), memoryStore()]
    await from.append('t', messages('t', 'a'), { expectedVersion: 0 })
    const killed = new Proxy(to, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) =>
          name === 'append' && args[0] === 't'
            ? Promise.reject(new Error('killed'))
            : Reflect.apply(value, target, args)
      },
    })
    await expect(copyStore(from, killed)).rejects.toThrow('killed')
    expect((await checkStore(to)).problems).toMatchObject([
      { problem: expect.stringContaining('did not end') },
    ])
    await copyStore(from, to)
    expect((await checkStore(to)).problems).toEqual([])
    expect((await to.list()).items).toHaveLength(1)
  })

  it('reads around damaged pages of the file', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'from.db')
      const store = await openSqliteStore(path)
      const ids = Array.from({ length: 200 }, (_, index) => `e${index}`)
      const long = ids.map((id) => message('t', id, `${id} ${'MARKED '.repeat(100)}`))
      await store.append('t', long, { expectedVersion: 0 })
      await store.close()
      const file = readFileSync(path)
      const at = file.indexOf('MARKED MARKED', Math.floor(file.length / 2))
      file.fill(0xff, at - (at % 4096), at - (at % 4096) + 64)
      writeFileSync(path, file)
      const again = await openSqliteStore(path)
      const to = memoryStore()
      await expect(copyStore(again, to)).rejects.toMatchObject({ code: 'store-corrupt' })
      const rows = await to.read('t')
      const lost = rows.filter(({ type }) => type === 'FOREIGN').length
      expect(rows).toHaveLength(200)
      expect(lost).toBeGreaterThan(0)
      expect(lost).toBeLessThan(50)
      await again.close()
    }))
})

describe('the doctor', () => {
  it('reports a store with an altered event, and one with an unreadable row', async () => {
    for (const sql of [
      `UPDATE events SET data = '"forged"' WHERE id = 'c'`,
      `UPDATE events SET timestamp = 'soon' WHERE id = 'c'`,
    ])
      await onDamaged(sql, async ({ folder, from }) => {
        const environment = { PRECIS_HOME: join(folder, 'home'), PRECIS_STORE: from }
        const { status, stdout } = await runPrecis(['doctor'], { cwd: folder, environment })
        expect(status).not.toBe(0)
        expect(stdout).toMatch(/✗ store .*t 3/)
      })
  })
})
