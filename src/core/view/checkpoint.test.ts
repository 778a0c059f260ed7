// What checkpoints are called, and what is none.
import { describe, expect, it } from 'vitest'
import {
  checkpointToText,
  createCheckpointContent,
  generateCheckpointId,
  readCheckpointText,
} from './checkpoint.ts'

describe('checkpoint ids', () => {
  it('are six alphanumeric characters [RANGE-05, RANGE-09]', () => {
    expect(generateCheckpointId()).toMatch(/^[A-Za-z0-9]{6}$/)
    expect(createCheckpointContent('aaaaaa')).toEqual({ type: 'checkpoint', id: 'aaaaaa' })
  })

  it('never repeat in a thread of 10,000 checkpoints, and of 200,000 [RANGE-06]', () => {
    const ids = new Set(
      Array.from({ length: 200_000 }, (_, issued) => generateCheckpointId(issued)),
    )
    expect(ids.size).toBe(200_000)
    for (const id of ids) expect(id.length).toBe(6)
  })

  it('come from a number that is given, so that a test can foresee them [RANGE-13]', () => {
    expect(generateCheckpointId(41)).toBe(generateCheckpointId(41))
    expect(generateCheckpointId(41)).not.toBe(generateCheckpointId(42))
  })
})

describe('checkpoint texts', () => {
  const issued = new Set(['abc123'])

  it('go to a provider as one text and come back as the same checkpoint [RANGE-04, RANGE-10]', () => {
    expect(checkpointToText('abc123')).toMatch(/^<checkpoint:[A-Za-z0-9]{6}>$/)
    expect(readCheckpointText(checkpointToText('abc123'), issued)).toEqual(
      createCheckpointContent('abc123'),
    )
  })

  it('stay text where they only contain one [RANGE-11]', () => {
    expect(readCheckpointText('see <checkpoint:abc123> above', issued)).toBeUndefined()
    expect(readCheckpointText('<checkpoint abc123>', issued)).toBeUndefined()
  })

  it('stay text where the thread has not issued the id', () => {
    expect(readCheckpointText('<checkpoint:aaaaaa>', issued)).toBeUndefined()
  })
})
