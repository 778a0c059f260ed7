// `precis store` as a person calls it.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { fillStore, inFolder } from '../stores/contract/sqlite-place.ts'

const BIN = fileURLToPath(new URL('../../bin/precis.js', import.meta.url))

function precis(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [BIN, 'store', ...args], (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    )
  })
}

describe('precis store', () => {
  it('copies into a file that is to be made, and checks both to the same hash [NEED-06]', () =>
    inFolder(async (folder) => {
      const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')]
      await fillStore(from, 30)
      const copied = await precis('copy', from, `sqlite:${to}`)
      expect(copied).toMatchObject({ code: 0, err: '' })
      expect(copied.out).toContain('1 threads with 30 events')
      const reports = await Promise.all([from, to].map((path) => precis('check', path, '--json')))
      const [one, other] = reports.map(({ out }) => JSON.parse(out))
      expect(other).toEqual(one)
      expect(one).toMatchObject({ threads: 1, events: 30, problems: [] })
      const repaired = await precis('check', to, '--repair')
      expect(repaired.out).toContain('the search index was made anew')
    }))

  it('makes no store of a mistyped path, copies none into itself, and tells no password', () =>
    inFolder(async (folder) => {
      const same = join(folder, 'same.db')
      await fillStore(same, 1)
      const copiedToItself = await precis(
        'copy',
        same,
        `sqlite:${folder}/../${basename(folder)}/same.db`,
      )
      expect(copiedToItself).toMatchObject({ code: 2, err: expect.stringContaining('itself') })
      const missing = join(folder, 'mistyped.db')
      const copied = await precis('copy', missing, join(folder, 'to.db'))
      expect(copied.code).toBe(1)
      expect(copied.err).toContain('There is no store')
      expect(existsSync(missing)).toBe(false)
      const checked = await precis('check', 'postgres://me:s3cret@127.0.0.1:1/db', '--json')
      expect(checked.code).toBe(1)
      expect(JSON.parse(checked.err).error.code).toBe('unreachable')
      expect(checked.err).not.toContain('s3cret')
    }))
})
