// The SHA-256 for hosts without one, against that of Node
import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Random } from '../../../test/generate/random.ts'
import { seeds } from '../../../test/scale.ts'
import { computeSha256, sha256 } from './sha256.ts'

describe('computeSha256', () => {
  it('agrees with Node on every length around a block, and on any letters', () => {
    for (let length = 0; length < 200; length += 1) {
      const text = 'x'.repeat(length)
      expect(computeSha256(text)).toBe(hash('sha256', text))
    }
    for (const seed of seeds(200, 50)) {
      const random = new Random(seed)
      const text = Array.from({ length: random.int(0, 300) }, () =>
        String.fromCharCode(random.int(0, 0xffff)),
      ).join('')
      expect(computeSha256(text), `seed ${seed}`).toBe(hash('sha256', text))
      expect(sha256(text)).toBe(hash('sha256', text))
    }
  })
})
