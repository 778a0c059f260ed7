// Files that are followed: looked at while somebody looks, and not after.
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { until } from '../../../test/wait.ts'
import { PrecisError } from '../../core/errors.ts'
import { FileFollowers } from './file-followers.ts'

function setUp(add: (bytes: number) => void = () => undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'precis-follow-'))
  const path = join(folder, 'session.jsonl')
  writeFileSync(path, 'one\n')
  const added: number[] = []
  const sleeps: { readonly aborted: () => boolean; wake(): void }[] = []
  const session = { path, id: 'one', bytes: 0, updatedMs: 0 }
  const followers = new FileFollowers({
    clock: {
      now: () => new Date(),
      sleep: (_ms, signal) =>
        new Promise((wake) => {
          sleeps.push({ aborted: () => signal?.aborted ?? false, wake })
          signal?.addEventListener('abort', () => wake())
        }),
    },
    fileOf: async () => session,
    async add({ bytes }) {
      added.push(bytes)
      add(bytes)
    },
  })
  onTestFinished(async () => {
    await followers.close()
    rmSync(folder, { recursive: true })
  })
  const look = async () => {
    const before = sleeps.length
    sleeps.at(-1)?.wake()
    await until('a look at the file', () => sleeps.length > before)
  }
  return { followers, added, sleeps, look, grow: () => appendFileSync(path, 'more\n') }
}

it('adds what is new at each look, once for all who look', async () => {
  const { followers, added, sleeps, look, grow } = setUp()
  const leave = followers.join('thr_1')
  const leaveToo = followers.join('thr_1')
  await until('the first look', () => sleeps.length === 1)
  await look()
  expect(added).toEqual([4])
  grow()
  await look()
  expect(added).toEqual([4, 9])
  leave()
  leave()
  expect(sleeps.at(-1)?.aborted()).toBe(false)
  leaveToo()
  expect(sleeps.at(-1)?.aborted()).toBe(true)
  grow()
  await followers.close()
  expect(added).toEqual([4, 9])
})

it('stops where the file is another conversation, and tries again what was in the way', async () => {
  const errors = [
    new PrecisError('version-conflict', 'busy'),
    new PrecisError('id-conflict', 'another'),
  ]
  const { followers, added, sleeps, look } = setUp(() => {
    throw errors.shift()
  })
  followers.join('thr_1')
  await until('the first look', () => sleeps.length === 1)
  expect(followers.isParted('thr_1')).toBe(false)
  await look()
  expect(added).toEqual([4, 4])
  expect(followers.isParted('thr_1')).toBe(true)
})
