// Files and folders without permission. It does not bind root, so then a process of nobody tries.
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { NOBODY, requirement } from '../../../test/require.ts'
import type { ErrorCode } from '../../core/errors.ts'
import { fillStore, inFolder } from '../contract/place.ts'

const STORES = new URL('../index.ts', import.meta.url)
const IS_ROOT = process.getuid?.() === 0
const AS_OTHER = IS_ROOT ? { uid: NOBODY, gid: NOBODY } : {}
const { available, notice } = requirement('readable-checkout')

interface Case {
  readonly code: ErrorCode
  readonly spoil: (folder: string, path: string) => void
}

const CASES: Readonly<Record<string, Case>> = {
  'a file that may only be read': {
    code: 'store-readonly',
    spoil: (_, path) => chmodSync(path, 0o444),
  },
  'a file in a folder that may only be read': {
    code: 'store-readonly',
    spoil: (folder) => chmodSync(folder, 0o555),
  },
  'a file that may not be read': {
    code: 'file-unreadable',
    spoil: (_, path) => chmodSync(path, 0o000),
  },
  'a file in a folder that may not be entered': {
    code: 'file-unwritable',
    spoil: (folder) => chmodSync(folder, 0o000),
  },
}

describe.skipIf(!available)(`permissions ${notice}`, () => {
  it.each(Object.entries(CASES))('%s', (_, { code, spoil }) =>
    inFolder(async (outer) => {
      const folder = join(outer, 'logs')
      const path = join(folder, 'log.db')
      await fillStore(path, 20)
      giveAway(outer, folder, path)
      spoil(folder, path)
      expect(openElsewhere(path)).toEqual({ code })
      chmodSync(folder, 0o700)
      chmodSync(path, 0o600)
      expect(openElsewhere(path)).toEqual({ rows: 20 })
    }),
  )

  it('a new file, and a new folder, in a folder that may only be read', () =>
    inFolder(async (folder) => {
      giveAway(folder)
      chmodSync(folder, 0o555)
      for (const path of [join(folder, 'log.db'), join(folder, 'new', 'log.db')]) {
        expect(openElsewhere(path)).toEqual({ code: 'file-unwritable' })
      }
      chmodSync(folder, 0o700)
      expect(openElsewhere(join(folder, 'new', 'log.db'))).toEqual({ rows: 0 })
      rmSync(join(folder, 'new'), { recursive: true })
    }))
})

function giveAway(...places: string[]): void {
  if (!IS_ROOT) return
  for (const place of places) chownSync(place, NOBODY, NOBODY)
}

function openElsewhere(path: string): unknown {
  const script = `
    import { openStore } from '${STORES.href}'
    try {
      const store = await openStore('sqlite:${path}')
      console.log(JSON.stringify({ rows: (await store.read('t')).length }))
      await store.close()
    } catch ({ code }) {
      console.log(JSON.stringify({ code }))
    }
  `
  const args = ['--input-type=module', '--eval', script]
  return JSON.parse(execFileSync(process.execPath, args, AS_OTHER).toString())
}
