// Orders of faults: in order, so often, and never by accident.
import { describe, expect, it } from 'vitest'
import { type Fault, Faults, parseFault } from './faults.ts'

describe('faults', () => {
  it('are used up in the order in which they were ordered', () => {
    const faults = new Faults()
    faults.order({ kind: 'empty', times: 2 })
    faults.order({ kind: 'refusal' })
    const kinds = Array.from({ length: 4 }, () => faults.take(undefined, 'hello')?.kind)
    expect(kinds).toEqual(['empty', 'empty', 'refusal', undefined])
  })

  it('come by a header for that request alone, before any order', () => {
    const faults = new Faults()
    faults.order({ kind: 'empty' })
    expect(faults.take('drop', '')?.kind).toBe('drop')
    expect(faults.take(undefined, '')?.kind).toBe('empty')
  })

  it('come by a line of the prompt as often as it says, and again when it is said again', () => {
    const faults = new Faults()
    const kinds = (...prompts: readonly string[]) =>
      prompts.map((prompt) => faults.take(undefined, prompt)?.kind)
    const prompt = 'Please:\nfault: overloaded times=2'
    expect(kinds(prompt, prompt, prompt)).toEqual(['overloaded', 'overloaded', undefined])
    expect(kinds('next', prompt)).toEqual([undefined, 'overloaded'])
    expect(kinds('whose fault: nobody’s', 'fault: unknown', 'no fault: drop')).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it.each<[string, Fault]>([
    ['overflow', { kind: 'overflow' }],
    ['stall ms=500 at=middle', { kind: 'stall', ms: 500, at: 'middle' }],
    ['rate-limit; retry-after=7', { kind: 'rate-limit', retryAfterS: 7 }],
    ['truncate tokens=100', { kind: 'truncate', windowTokens: 100 }],
    ['stall ms=nonsense', { kind: 'stall' }],
  ])('«%s»', (text, expected) => {
    expect(parseFault(text)).toEqual(expected)
  })

  it('have names, and a hint where one is mistyped; no stall lasts for ever', () => {
    expect(() => parseFault('overflw')).toThrow(
      expect.objectContaining({ code: 'usage', hint: 'Did you mean overflow?' }),
    )
    expect(parseFault('stall ms=999999999').ms).toBe(600_000)
  })
})
