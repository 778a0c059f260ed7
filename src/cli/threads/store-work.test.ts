// `precis store` as a person calls it.
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runPrecis } from '../../../test/cli/run.ts'
import { fillStore, inFolder } from '../../stores/contract/place.ts'

function precis(...args: string[]) {
  return runPrecis(['store', ...args], { cwd: tmpdir(), environment: {} })
}

describe('precis store', () => {
  it('copies into a file that is to be made, and checks both to the same hash [NEED-06]', () =>
    inFolder(async (folder) => {
      const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')]
      await fillStore(from, 30)
      const copied = await precis('copy', from, `sqlite:${to}`)
      expect(copied).toMatchObject({ status: 0, stderr: '' })
      expect(copied.stdout).toContain('1 thread with 30 events')
      const reports = await Promise.all([from, to].map((path) => precis('check', path, '--json')))
      const [one, other] = reports.map(({ stdout }) => JSON.parse(stdout))
      expect(other).toEqual(one)
      expect(one).toMatchObject({ threads: 1, events: 30, problems: [] })
      const repaired = await precis('check', to, '--repair')
      expect(repaired.stdout).toContain('the search index was rebuilt')
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
      expect(copiedToItself).toMatchObject({ status: 2, stderr: expect.stringContaining('itself') })
      const missing = join(folder, 'mistyped.db')
      const copied = await precis('copy', missing, join(folder, 'to.db'))
      expect(copied.status).toBe(1)
      expect(copied.stderr).toContain('There is no store')
      expect(existsSync(missing)).toBe(false)
      const checked = await precis('check', 'postgres://me:s3cret@127.0.0.1:1/db', '--json')
      expect(checked.status).toBe(1)
      expect(JSON.parse(checked.stderr).error.code).toBe('unreachable')
      expect(checked.stderr).not.toContain('s3cret')
    }))
})
