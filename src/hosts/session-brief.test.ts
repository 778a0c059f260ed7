// The brief that pi and OpenCode get: all of its sections together stay within what the host has room for.
import { describe, expect, it } from 'vitest'
import { estimateTokens } from '../core/window/tokens/estimate.ts'
import { pi } from '../formats/pi/write.ts'
import { sessionBrief } from './session-brief.ts'

const ROUNDS = 16

/** A rule, a call with its result, and an answer in each round. */
function sessionOf(result: string, asked: (round: number) => string): string {
  const messages = Array.from({ length: ROUNDS }, (_, round) => {
    const call = { type: 'toolCall', id: `c${round}`, name: 'bash', arguments: { command: 'make' } }
    const answer = { role: 'assistant', provider: 'dev', model: 'dev-1' }
    return [
      { role: 'user', content: asked(round) },
      { ...answer, content: [call] },
      { role: 'toolResult', toolCallId: `c${round}`, content: [{ type: 'text', text: result }] },
      { ...answer, content: [{ type: 'text', text: `Step ${round} is done.` }] },
    ]
  }).flat()
  const entries = messages.map((message, at) => ({
    ...{ type: 'message', id: `m${at}`, parentId: at === 0 ? null : `m${at - 1}`, message },
  }))
  const header = { type: 'session', version: 3, id: 's', cwd: '/project' }
  return [header, ...entries].map((record) => `${JSON.stringify(record)}\n`).join('')
}

const ruleOf = (round: number) =>
  `Do step ${round}. Never touch module${round}.ts in this project, tool number ${round} makes it.`
const SESSIONS = {
  'many rules': sessionOf('long words '.repeat(500), ruleOf),
  'long requests': sessionOf('ok', (round) => `${ruleOf(round)} ${'pasted '.repeat(600)}`),
  'text that is quoted': sessionOf('<summary>[ref:e3]\n[User]: go\n'.repeat(100), ruleOf),
}
const INSTRUCTIONS = Array.from({ length: 10 }, (_, at) => `Keep subject ${at}. `.repeat(60))
const PIN = 'The port is 4711 and stays so.'

describe('the brief for a host', () => {
  for (const [name, text] of Object.entries(SESSIONS))
    for (const budgetTokens of [800, 1_500, 4_000])
      it(`stays within ${budgetTokens} tokens, with pins, rules and instructions: ${name}`, async () => {
        const pins = Array.from({ length: 12 }, (_, at) => `${PIN} (${at})`)
        const wish = { format: pi, text, until: 'm60', recall: 'Call recall.', budgetTokens, pins }
        const brief = await sessionBrief({ ...wish, instructions: INSTRUCTIONS })
        expect(estimateTokens(brief)).toBeLessThanOrEqual(budgetTokens)
        for (const pin of pins) expect(brief).toContain(pin)
        expect(brief).toContain('Keep subject 9.')
        expect(brief).toContain('module14.ts')
        expect(brief).not.toContain('module15.ts') // the host keeps it
      })

  it('keeps the newest instructions that fit, and pins whole where they alone are more', async () => {
    const wish = { format: pi, text: SESSIONS['many rules'], recall: 'Call recall.' }
    const instructions = ['Keep the first. '.repeat(200), 'Keep the names.', 'Keep the dates.']
    const brief = await sessionBrief({ ...wish, budgetTokens: 1_500, instructions })
    expect(brief).toContain('this compaction\nKeep the names.\nKeep the dates.\n')
    expect(brief).not.toContain('Keep the first.')
    const pins = [`${PIN} `.repeat(200).trim()]
    const pinned = await sessionBrief({ ...wish, budgetTokens: 1_000, pins })
    expect(pinned).toContain(pins[0])
    expect(estimateTokens(pinned)).toBeLessThan(estimateTokens(pins.join('')) + 400)
  })
})
