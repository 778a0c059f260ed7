// What the user ruled outlives many compactions, on a compactor and on an array that was compacted before
import { describe, expect, it } from 'vitest'
import { compact as compactLightly } from '../doors/light.ts'
import { compact } from './compact.ts'
import { createCompactor } from './compactor.ts'

interface Said {
  readonly role: 'user' | 'assistant'
  readonly content: string
}

const CYCLES = 12
const BUDGET = 1_500

/** One rule, and filler that alone is more than the budget. */
function cycle(number: number): Said[] {
  const filler = Array.from({ length: 12 }, (_, at): Said[] => [
    {
      role: 'assistant',
      content: `Step ${number}.${at}: ${'nothing of weight happens. '.repeat(14)}`,
    },
    { role: 'user', content: `And then ${number}.${at}?` },
  ])
  return [{ role: 'user', content: `Never touch fixtures-${number}x.` }, ...filler.flat()]
}

const rulesIn = (messages: readonly Said[]) =>
  new Set(JSON.stringify(messages).match(/Never touch fixtures-\d+x/g)).size

describe('rules of the user', () => {
  it('outlive compactions of what was compacted before, and stand in a list once', () => {
    let messages: Said[] = []
    for (let number = 1; number <= CYCLES; number += 1)
      messages = compact([...messages, ...cycle(number)], { budget: BUDGET }).messages
    expect(rulesIn(messages)).toBe(CYCLES)
    expect(JSON.stringify(messages).split('that still holds')).toHaveLength(2)
  })

  it('outlive the compactions of a loop', async () => {
    const compactor = createCompactor<Said>({ windowTokens: 2_500, target: 0.6 })
    const all: Said[] = []
    let rules = 0
    for (let number = 1; number <= CYCLES; number += 1) {
      all.push(...cycle(number))
      rules = rulesIn((await compactor.fit(all)).messages)
    }
    expect(rules).toBe(CYCLES)
  })

  it('that have no room give way from the oldest on', () => {
    const rules = Array.from(
      { length: 60 },
      (_, at) => `Never touch fixtures-${at + 1}x in the old harbour module.`,
    )
    const said = rules.flatMap((content): Said[] => [
      { role: 'user', content },
      { role: 'assistant', content: 'Noted. '.repeat(60) },
    ])
    const { messages } = compact([...said, ...cycle(99)], { budget: BUDGET })
    const [, list = ''] = JSON.stringify(messages).split('that still holds')
    const listed = rules.filter((rule) => list.includes(rule))
    expect(listed.length).toBeGreaterThan(5)
    expect(listed).toEqual(rules.slice(-listed.length))
  })

  it('that are taken back are gone', async () => {
    const compactor = createCompactor<Said>({ windowTokens: 2_500, target: 0.6 })
    const all: Said[] = [
      { role: 'user', content: 'Build the harbour page.' },
      { role: 'assistant', content: 'I begin.' },
      { role: 'user', content: 'Never use lodash.' },
      ...cycle(1),
      ...cycle(2),
    ]
    const listOf = async () =>
      JSON.stringify((await compactor.fit(all)).messages).split('that still holds')[1]
    expect(await listOf()).toContain('Never use lodash.')
    all.push({ role: 'user', content: 'You may use lodash after all.' }, ...cycle(3), ...cycle(4))
    const list = await listOf()
    expect(list).not.toContain('Never use lodash.')
    expect(list).toContain('Never touch fixtures-4x.')
  })

  it('take a third of the budget at most, the newest first', () => {
    const rules = Array.from({ length: 200 }, (_, at): Said[] => [
      { role: 'user', content: `Never touch fixtures-${at}x.` },
      { role: 'assistant', content: 'Noted. '.repeat(10) },
    ])
    const { messages, report } = compact([...rules.flat(), ...cycle(999)], { budget: BUDGET })
    expect(report.after.total).toBeLessThanOrEqual(BUDGET)
    expect(JSON.stringify(messages)).toContain('Never touch fixtures-999x')
    expect(rulesIn(messages)).toBeGreaterThan(20)
    expect(rulesIn(messages)).toBeLessThan(200)
  })

  it('are not looked for by precis/light', () => {
    const { report } = compactLightly(cycle(1), { budget: BUDGET })
    expect(report.pins.texts).toBe(0)
  })
})
