// Redaction measured: most of the texts were written before its patterns were read.
import { describe, expect, it } from 'vitest'
import { redact } from '../../../src/redact/redact.ts'
import { redactValues } from '../../../src/redact/redact-values.ts'
import { EIGHTH_ORDINARY, EIGHTH_SECRETS } from './eighth-set.ts'
import { FIFTH_ORDINARY, FIFTH_SECRETS } from './fifth-set.ts'
import { fill } from './fill.ts'
import { FOURTH_ORDINARY, FOURTH_SECRETS } from './fourth-set.ts'
import { NINTH_ORDINARY, NINTH_SECRETS } from './ninth-set.ts'
import { ORDINARY as FIRST_ORDINARY } from './ordinary.ts'
import { SECOND_ORDINARY, SECOND_SECRETS } from './second-set.ts'
import { SECRETS as FIRST_SECRETS } from './secrets.ts'
import { SEVENTH_ORDINARY, SEVENTH_SECRETS } from './seventh-set.ts'
import { SIXTH_ORDINARY, SIXTH_SECRETS } from './sixth-set.ts'
import { THIRD_ORDINARY, THIRD_SECRETS } from './third-set.ts'

type Texts = readonly (readonly [string, string])[]
const named = (texts: readonly string[]): Texts => texts.map((text) => [text, text])
/** Each set alone: a large one must not hide what a small one misses. */
const SETS: readonly (readonly [string, Texts, Texts])[] = [
  ['first', FIRST_SECRETS, FIRST_ORDINARY],
  ['second', SECOND_SECRETS, named(SECOND_ORDINARY)],
  ['third', THIRD_SECRETS, named(THIRD_ORDINARY)],
  ['fourth', named(FOURTH_SECRETS), named(FOURTH_ORDINARY)],
  ['fifth', named(FIFTH_SECRETS), named(FIFTH_ORDINARY)],
  ['sixth', named(SIXTH_SECRETS), named(SIXTH_ORDINARY)],
  ['seventh', named(SEVENTH_SECRETS), named(SEVENTH_ORDINARY)],
  ['eighth', named(EIGHTH_SECRETS), named(EIGHTH_ORDINARY)],
  ['ninth', named(NINTH_SECRETS), named(NINTH_ORDINARY)],
]
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

describe.each(SETS)('the %s set of texts', (_, all, ordinary) => {
  it('loses at least 95 of 100 secrets, for each seed', () => {
    for (const seed of SEEDS) {
      const missed = all.filter(([, template]) => {
        const { text, secrets } = fill(template, seed)
        return outcomes(text).some((shown) => secrets.some((secret) => shown.includes(secret)))
      })
      const names = missed.map(([what]) => what)
      expect(missed.length / all.length, `seed ${seed}: ${names}`).toBeLessThanOrEqual(0.05)
    }
  })

  it('keeps at least 98 of 100 ordinary texts as they are, for each seed', () => {
    for (const seed of SEEDS) {
      const hit = ordinary.filter(([, template]) => {
        const { text } = fill(template, seed)
        const parsed = parse(text)
        return (
          redact(text).text !== text ||
          (parsed !== undefined &&
            JSON.stringify(redactValues(parsed).value) !== JSON.stringify(parsed))
        )
      })
      const names = hit.map(([what]) => what)
      expect(hit.length / ordinary.length, `seed ${seed}: ${names}`).toBeLessThanOrEqual(0.02)
    }
  })
})
