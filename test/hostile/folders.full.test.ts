// Hostile folders: shared places that another user made first, or may write to. Nothing is taken from them.
import {
  chmodSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compileCacheFolder } from '../../bin/own-folder.js'
import { eachPlace, sample } from '../cli/place.ts'
import { NOBODY, requirement } from '../require.ts'

const place = eachPlace()

/** Without the cache of the tests: as a user has it. */
function precis(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return place().spawned(args, { env: { NODE_COMPILE_CACHE: '', ...env } })
}

function folder(...names: string[]): string {
  const path = join(place().folder, ...names)
  mkdirSync(path, { recursive: true })
  return path
}

function everythingIn(path: string): string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
}

describe('compiled code', () => {
  it('is kept in the own folder of the user, and nothing in the shared one', () => {
    const shared = folder('tmp')
    chmodSync(shared, 0o1777)
    const { status, stderr } = precis(['config'], { TMPDIR: shared })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(everythingIn(shared)).toEqual([])
    const own = join(place().folder, '.cache', 'precis', 'compiled')
    expect((statSync(own).mode & 0o777).toString(8)).toBe('700')
    expect(everythingIn(own).length).toBeGreaterThan(1)
  })

  type Plant = (cache: string) => void
  const plants: readonly (readonly [string, Plant])[] = [
    ['a folder that its group may write to', (cache) => chmodSync(made(cache), 0o770)],
    ['a folder that everybody may write to', (cache) => chmodSync(made(cache), 0o707)],
    [
      'a link to another folder',
      (cache) => {
        made(join(cache, '..'))
        symlinkSync(folder('elsewhere'), cache)
      },
    ],
    ['a file', (cache) => writeFileSync(join(made(join(cache, '..')), 'compiled'), '')],
    [
      'a folder above that everybody may write to',
      (cache) => chmodSync(join(made(cache), '..'), 0o777),
    ],
    [
      'a link above that leads through a folder that everybody may write to',
      (cache) => {
        const open = folder('open')
        symlinkSync(folder('open', 'precis'), join(made(join(cache, '..', '..')), 'precis'))
        chmodSync(open, 0o777)
      },
    ],
  ]
  it.each(plants)('is not taken from %s', (_, plant) => {
    const home = folder('cache-home')
    const cache = join(home, 'precis', 'compiled')
    expect(compileCacheFolder({ XDG_CACHE_HOME: folder('well') })).toBeDefined()
    plant(cache)
    expect(compileCacheFolder({ XDG_CACHE_HOME: home })).toBeUndefined()
    const before = everythingIn(place().folder).filter((name) => !name.startsWith('.'))
    const { status } = precis(['--version'], { XDG_CACHE_HOME: home })
    expect(status).toBe(0)
    const after = everythingIn(place().folder).filter((name) => !name.startsWith('.'))
    expect(after).toEqual(before)
  })

  const other = requirement('other-user')
  describe.skipIf(!other.available)(`of another user ${other.notice}`, () => {
    it.each(['compiled', 'precis', '.'])('is not taken: %s is theirs', (whose) => {
      const home = folder('cache-home')
      folder('cache-home', 'precis', 'compiled')
      const path = whose === 'compiled' ? join(home, 'precis', whose) : join(home, whose)
      lchownSync(path, NOBODY, NOBODY)
      chmodSync(join(home, 'precis', 'compiled'), 0o700)
      expect(compileCacheFolder({ XDG_CACHE_HOME: home })).toBeUndefined()
    })
  })
})

describe('the folder for state', () => {
  it('is refused where every user may write to it', () => {
    const home = folder('shared-state')
    chmodSync(home, 0o1777)
    const { status, stderr } = precis(['threads'], { PRECIS_HOME: home })
    expect(status).toBe(1)
    expect(stderr).toMatch(/writable by every user\n {2}where: .*\n {2}hint: Run chmod 700 /)
    expect(everythingIn(home)).toEqual([])
  })

  it('has files for their owner alone', () => {
    expect(precis(['import', sample('session.jsonl')]).status).toBe(0)
    const { home } = place()
    for (const name of ['.', ...everythingIn(home)]) {
      const { mode } = statSync(join(home, name))
      expect({ name, others: mode & 0o077 }).toEqual({ name, others: 0 })
    }
  })
})

function made(path: string): string {
  mkdirSync(path, { recursive: true })
  return path
}
