// Leases: one owner at a time across stores and processes, and always with an end.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { until, within } from '../../../test/wait.ts'
import type { Store } from '../../core/ports.ts'
import { LIMITS } from '../rows/limits.ts'
import { expectError, messages, on, type StoreFactory, type StorePlace } from './place.ts'

/** LONG_MS outlasts any test; SHORT_MS is short enough to wait for. */
const LONG_MS = 3_600_000
const SHORT_MS = 20

const TAKER = fileURLToPath(new URL('./lease-process.ts', import.meta.url))

export function leaseContract(factory: StoreFactory): void {
  describe('lease', () => {
    takingContract(factory)
    endingContract(factory)
    if (factory.durable) processContract(factory)
  })
}

function takingContract(factory: StoreFactory): void {
  it(
    'is taken by one owner, who may take it again; others are refused',
    on(factory, async (store) => {
      expect(await store.takeLease('a', 'one', LONG_MS)).toBe(true)
      expect(await store.takeLease('a', 'two', LONG_MS)).toBe(false)
      expect(await store.takeLease('a', 'one', LONG_MS)).toBe(true)
      expect(await store.takeLease('b', 'two', LONG_MS)).toBe(true)
    }),
  )
  it(
    'is taken by exactly one of many who ask at once',
    on(factory, async (store) => {
      const owners = Array.from({ length: 20 }, (_, index) => `owner ${index}`)
      const got = await Promise.all(owners.map((owner) => store.takeLease('a', owner, LONG_MS)))
      expect(got.filter((taken) => taken)).toHaveLength(1)
    }),
  )
  it(
    'is given back by its owner only, and then free',
    on(factory, async (store) => {
      await store.takeLease('a', 'one', LONG_MS)
      await store.releaseLease('a', 'two')
      await store.releaseLease('b', 'one')
      expect(await store.takeLease('a', 'two', LONG_MS)).toBe(false)
      await store.releaseLease('a', 'one')
      await store.releaseLease('a', 'one')
      expect(await store.takeLease('a', 'two', LONG_MS)).toBe(true)
      await store.releaseLease('a', 'one')
      expect(await store.takeLease('a', 'one', LONG_MS)).toBe(false)
    }),
  )
  it(
    'needs names and a time that make sense',
    on(factory, async (store) => {
      for (const name of ['', 'a\u0000', 'x'.repeat(LIMITS.nameLength + 1)]) {
        await expectError(store.takeLease(name, 'one', LONG_MS), 'usage')
        await expectError(store.takeLease('a', name, LONG_MS), 'usage')
        await expectError(store.releaseLease(name, 'one'), 'usage')
        await expectError(store.releaseLease('a', name), 'usage')
      }
      for (const ttlMs of [0, -1, 1.5, Number.NaN, Infinity, LIMITS.leaseMs + 1]) {
        await expectError(store.takeLease('a', 'one', ttlMs), 'usage')
      }
      expect(await store.takeLease('a', 'two', LIMITS.leaseMs)).toBe(true)
    }),
  )
  it(
    'is no thread, nor goes with one',
    on(factory, async (store) => {
      await store.append('t', messages('t', 'a'), { expectedVersion: 0 })
      await store.takeLease('t', 'one', LONG_MS)
      await store.delete('t')
      expect(await store.takeLease('t', 'two', LONG_MS)).toBe(false)
      expect((await store.list()).items).toEqual([])
    }),
  )
}

function endingContract(factory: StoreFactory): void {
  it(
    'ends when its time is over',
    on(factory, async (store) => {
      await store.takeLease('a', 'one', SHORT_MS)
      await untilTaken(store, 'a', 'two')
      expect(await store.takeLease('a', 'one', LONG_MS)).toBe(false)
    }),
  )
  it(
    'runs from when it was last taken',
    on(factory, async (store) => {
      await store.takeLease('a', 'one', SHORT_MS)
      await store.takeLease('a', 'one', LONG_MS)
      await store.takeLease('b', 'one', LONG_MS)
      await store.takeLease('b', 'one', SHORT_MS)
      await untilTaken(store, 'b', 'two')
      expect(await store.takeLease('a', 'two', LONG_MS)).toBe(false)
    }),
  )
}

function processContract(factory: StoreFactory): void {
  it(
    'holds for every store that is open on the place, and after closing',
    on(factory, async (store, place) => {
      const other = await place.again()
      await store.takeLease('a', 'one', LONG_MS)
      expect(await other.takeLease('a', 'two', LONG_MS)).toBe(false)
      await store.close()
      expect(await other.takeLease('a', 'two', LONG_MS)).toBe(false)
      await other.releaseLease('a', 'one')
      expect(await other.takeLease('a', 'two', LONG_MS)).toBe(true)
    }),
  )
  it(
    'is won by exactly one of the processes that race for it',
    on(factory, async (_, place) => {
      const takers = await Promise.all(['one', 'two', 'three'].map((name) => taker(place, name)))
      for (let round = 0; round < 50; round += 1) {
        const name = `lease-${round}`
        const won = await Promise.all(takers.map((one) => one.ask(LONG_MS, [name])))
        expect(won.flat()).toEqual([name])
      }
      for (const one of takers) await one.kill()
    }),
  )
  it(
    'ends although its owner was killed and gave nothing back',
    on(factory, async (store, place) => {
      const one = await taker(place, 'one')
      expect(await one.ask(SHORT_MS, ['short'])).toEqual(['short'])
      expect(await one.ask(LONG_MS, ['long'])).toEqual(['long'])
      await one.kill()
      expect(await store.takeLease('long', 'two', LONG_MS)).toBe(false)
      await untilTaken(store, 'short', 'two')
    }),
  )
}

async function untilTaken(store: Store, name: string, owner: string): Promise<void> {
  await until(`the lease ${name} to end`, () => store.takeLease(name, owner, LONG_MS))
}

/** Another process that has the same store open. */
async function taker({ address = '' }: StorePlace, owner: string) {
  const child = spawn(process.execPath, [TAKER, address, owner], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string> =>
    (await within(`${owner} to answer`, lines.next())).value ?? 'it ended'
  expect(await nextLine()).toBe('ready')
  return {
    /** Returns the names it got. */
    async ask(ttlMs: number, names: readonly string[]): Promise<string[]> {
      child.stdin.write(`${ttlMs} ${names.join(' ')}\n`)
      return (await nextLine()).split(' ').filter((name) => name !== '')
    },
    async kill(): Promise<void> {
      child.kill('SIGKILL')
      await within(`the end of ${owner}`, exited)
    },
  }
}
