// A full disk: a small one is mounted for the purpose.
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { requirement } from '../../../test/require.ts'
import { expectError, inFolder, message } from '../contract/place.ts'
import { openSqliteStore } from './store.ts'

const { available, notice } = requirement('tmpfs')

describe.skipIf(!available)(`a full disk ${notice}`, () => {
  it('refuses what does not fit, keeps all else, and takes more when there is space', () =>
    onSmallDisk(async (folder) => {
      const path = join(folder, 'log.db')
      const filler = join(folder, 'filler')
      writeFileSync(filler, 'x'.repeat(300_000))
      let store = await openSqliteStore(path)
      let version = 0
      const more = async () => {
        const events = ['a', 'b'].map((id) => message('t', `${id}${version}`, 'x'.repeat(10_000)))
        const appended = await store.append('t', events, { expectedVersion: version })
        version = appended.version
      }
      const fill = async () => {
        for (let count = 0; count < 500; count += 1) await more()
      }
      const checkAll = async () => {
        expect(await store.read('t')).toHaveLength(version)
        expect((await store.info('t'))?.version).toBe(version)
      }
      await expectError(fill(), 'store-full')
      expect(version).toBeGreaterThan(0)
      await checkAll()
      await expectError(more(), 'store-full')
      await store.close()

      store = await openSqliteStore(path)
      await checkAll()
      rmSync(filler)
      await more()
      await checkAll()
      await store.close()
    }))

  it('lets no store be made', () =>
    onSmallDisk(async (folder) => {
      const fill = () => writeFileSync(join(folder, 'filler'), 'x'.repeat(2_000_000))
      expect(fill).toThrow('ENOSPC')
      await expectError(openSqliteStore(join(folder, 'log.db')), 'store-full')
    }))
})

function onSmallDisk(test: (folder: string) => Promise<void>): Promise<void> {
  return inFolder(async (folder) => {
    expect(mount(folder)).toBe(true)
    try {
      await test(folder)
    } finally {
      spawnSync('umount', [folder])
    }
  })
}

function mount(folder: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0
}
