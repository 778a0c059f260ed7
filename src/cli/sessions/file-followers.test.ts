// Files that are followed: looked at while somebody looks, and not after.
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { until, within } from '../../../test/wait.ts'
import { PrecisError } from '../../core/errors.ts'
import { FileFollowers } from './file-followers.ts'

function setUp(add: (bytes: number, signal: AbortSignal) => unknown = () => undefined) {
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
          if (signal?.aborted) wake()
          signal?.addEventListener('abort', () => wake())
        }),
    },
    async fileOf(threadId) {
      if (threadId === 'thr_unreadable') throw new PrecisError('internal', 'gone')
      return session
    },
    async add({ bytes }, _threadId, signal) {
      added.push(bytes)
      await add(bytes, signal)
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
  expect(followers.stateOf('thr_1')).toBe('followed')
  await look()
  expect(added).toEqual([4, 4])
  expect(followers.stateOf('thr_1')).toBe('parted')
})

it('says that it follows only what it does', async () => {
  const { followers } = setUp()
  const leaves = Array.from({ length: 33 }, (_, index) => followers.join(`thr_${index}`))
  expect(followers.stateOf('thr_31')).toBe('followed')
  expect(followers.stateOf('thr_32')).toBeUndefined()
  expect(followers.stateOf('thr_none')).toBeUndefined()
  leaves[0]?.()
  expect(followers.stateOf('thr_32')).toBeUndefined()
  expect(followers.stateOf('thr_none')).toBe('followed')
  followers.join('thr_unreadable')
  await until('the failure', () => followers.stateOf('thr_unreadable') === undefined)
})

it('ends an import that waits', async () => {
  const { followers, added } = setUp((_bytes, signal) => {
    const ended = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => ended.resolve())
    return ended.promise
  })
  followers.join('thr_1')
  await until('the import', () => added.length === 1)
  await within('the end', followers.close())
})
