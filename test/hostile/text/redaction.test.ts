// Redaction measured: most of the texts were written before its patterns were read.
import { describe, expect, it } from 'vitest'
import { redact } from '../../../src/redact/redact.ts'
import { redactValues } from '../../../src/redact/redact-values.ts'
import { fill } from './fill.ts'
import { ORDINARY as FIRST_ORDINARY } from './ordinary.ts'
import { SECOND_ORDINARY, SECOND_SECRETS } from './second-set.ts'
import { SECRETS as FIRST_SECRETS } from './secrets.ts'

const SECRETS = [...FIRST_SECRETS, ...SECOND_SECRETS]
const ORDINARY = [...FIRST_ORDINARY, ...SECOND_ORDINARY.map((text) => [text, text] as const)]
const SEEDS = ['a', 'b', 'c', 'd', 'e']

/** As a text, and where it is JSON as what it says. */
function outcomes(text: string): string[] {
  const outputs = [redact(text).text, JSON.stringify(redactValues([{ type: 'text', text }]).value)]
  const parsed = parse(text)
  return parsed === undefined ? outputs : [...outputs, JSON.stringify(redactValues(parsed).value)]
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

describe('sets of texts', () => {
  it('finds at least 95 of 100 secrets, for each seed', () => {
    for (const seed of SEEDS) {
      const missed = SECRETS.filter(([, template]) => {
        const { text, secrets } = fill(template, seed)
        return outcomes(text).some((shown) => secrets.some((secret) => shown.includes(secret)))
      })
      expect(
        missed.length / SECRETS.length,
        `seed ${seed}: ${missed.map(([what]) => what)}`,
      ).toBeLessThanOrEqual(0.05)
    }
  })

  it('changes at most 2 of 100 ordinary texts, for each seed', () => {
    for (const seed of SEEDS) {
      const hit = ORDINARY.filter(([, template]) => {
        const { text } = fill(template, seed)
        const parsed = parse(text)
        return (
          redact(text).text !== text ||
          (parsed !== undefined &&
            JSON.stringify(redactValues(parsed).value) !== JSON.stringify(parsed))
        )
      })
      expect(
        hit.length / ORDINARY.length,
        `seed ${seed}: ${hit.map(([what]) => what)}`,
      ).toBeLessThanOrEqual(0.02)
    }
  })
})
