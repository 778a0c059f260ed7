// Waits: what they return, and what they say when they run out.
import { expect, it } from 'vitest'
import { until, within } from './wait.ts'

it('returns what was found, after as many looks as it takes', async () => {
  let looks = 0
  const look = async () => {
    looks += 1
    return looks > 3 ? 'there' : undefined
  }
  expect(await until('it', look)).toBe('there')
  expect(looks).toBe(4)
})

it.each([
  ['is never true', () => false],
  ['never ends', () => new Promise<boolean>(() => undefined)],
])('names what it waited for where a look %s', async (_, look) => {
  await expect(until('the child to say ready', look, { withinMs: 20 })).rejects.toThrow(
    'Waited 20 ms for the child to say ready, which did not happen.',
  )
})

it('passes on what a look throws, at once', async () => {
  const look = () => Promise.reject(new Error('the store is closed'))
  await expect(until('a row', look)).rejects.toThrow('the store is closed')
})

it('looks no more once it has given up', async () => {
  let looks = 0
  const look = () => {
    looks += 1
    return false
  }
  const waiting = until('it', look, { withinMs: 20, everyMs: 1 })
  await expect(waiting).rejects.toThrow('Waited 20 ms')
  const atEnd = looks
  await within('some turns', Promise.all(Array.from({ length: 5 }, () => turn())))
  expect(looks - atEnd).toBeLessThanOrEqual(1) // the one that was under way
})

it('gives what a promise gives, its failure, and the name where neither comes', async () => {
  expect(await within('an answer', Promise.resolve(7))).toBe(7)
  await expect(within('an answer', Promise.reject(new Error('no')))).rejects.toThrow('no')
  const never = new Promise(() => undefined)
  await expect(within('an answer', never, 10)).rejects.toThrow('Waited 10 ms for an answer')
  // Whoever reads the failure sees where it was waited.
  const failure = await within('an answer', never, 10).catch((thrown: Error) => thrown)
  expect((failure as Error).stack).toContain('wait.test.ts')
})

const turn = () => new Promise((resolve) => setImmediate(resolve))
