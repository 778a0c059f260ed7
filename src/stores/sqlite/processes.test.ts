// Several processes on one file, and how a process with a store lives and ends.
import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { Row } from '../../core/ports.ts'
import { cancel, inFolder } from '../contract/place.ts'
import { openSqliteStore } from './store.ts'

const run = promisify(execFile)
const WRITER = new URL('../contract/writer-process.ts', import.meta.url)
const STORES = new URL('../index.ts', import.meta.url)

describe('processes', () => {
  it('two append to one thread, and a third follows: every row once, in order, batches whole', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'log.db')
      const batches = 40
      const total = 2 * 2 * batches
      const store = await openSqliteStore(path, { pollMs: 20 })
      const { signal, abort } = cancel()
      const following = (async () => {
        const seen: Row[] = []
        for await (const row of store.follow('t', 0, signal)) {
          seen.push(row)
          if (row.seq === total) abort()
        }
        return seen
      })()
      const writers = ['one', 'two'].map((name) =>
        run(process.execPath, [fileURLToPath(WRITER), path, 't', name, String(batches)]),
      )
      await Promise.all(writers)
      const seen = await following
      expect(seen.map((row) => row.seq)).toEqual(Array.from({ length: total }, (_, i) => i + 1))
      expect(await store.read('t')).toEqual(seen)
      for (const name of ['one', 'two']) {
        const own = seen.map((row) => row.id).filter((id) => id.startsWith(name))
        const all = Array.from({ length: batches }, (_, i) => [`${name}.${i}.0`, `${name}.${i}.1`])
        expect(own).toEqual(all.flat())
      }
      for (let index = 0; index < total; index += 2) {
        expect(seen[index + 1]?.id).toBe(seen[index]?.id.replace(/0$/, '1'))
      }
      await store.close()
    }))

  it('many open a new file at once', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'new', 'log.db')
      const stores = await Promise.all(Array.from({ length: 6 }, () => openSqliteStore(path)))
      for (const store of stores) {
        expect(await store.list()).toEqual({ items: [] })
        await store.close()
      }
    }))

  it('an idle store does not keep its process alive, and needs none of its flags', () =>
    inFolder(async (folder) => {
      const script = `
        import { openStore } from '${STORES.href}'
        const store = await openStore('${join(folder, 'log.db')}')
        console.log((await store.list()).items.length)
      `
      const args = ['--input-type=module', '--eval', script]
      expect(execFileSync(process.execPath, args, { timeout: 60_000 }).toString()).toBe('0\n')
    }))
})
