// Addresses of stores, and the check of Node that comes before them.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { expectError, inFolder, messages } from './contract/place.ts'
import { openStore } from './index.ts'

describe('openStore', () => {
  it('opens memory', async () => {
    const store = await openStore('memory:')
    await store.append('t', messages('t', 'a'), { expectedVersion: 0 })
    expect(await store.read('t')).toHaveLength(1)
    await store.close()
  })

  it('opens files by address and by path', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'log.db')
      for (const address of [path, `sqlite:${path}`, `SQLite:${path}`]) {
        const store = await openStore(address)
        await store.close()
      }
      expect(existsSync(path)).toBe(true)
    }))

  it.each(['postgres://host:port/db', 'memory:x', 'sqlite:', ':memory:', 'http://x', ''])(
    'refuses %j',
    (address) => expectError(openStore(address), 'usage'),
  )
})
