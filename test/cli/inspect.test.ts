// `precis inspect`: what is in a session, as bars for people and as JSON for programs.
import { describe, expect, it } from 'vitest'
import type { Inspection } from '../../src/cli/inspect/inspect-session.ts'
import { eachPlace, sample } from './place.ts'

const place = eachPlace()

describe('precis inspect', () => {
  it('shows tokens by kind and by turn as bars, the largest parts and the files [NEED-16]', async () => {
    const { status, stdout, stderr } = await place().precis(['inspect', sample('session.jsonl')])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/By kind\n(.*\n)* {2}tool results +[\d,]+ █/)
    expect(stdout).toMatch(/By turn\n {2}1 +[\d,]+ █.*We have a double booking/)
    expect(stdout).toMatch(/Largest parts\n {2}e\d+ +[\d,]+ {2}result of Bash/)
    expect(stdout).toMatch(/Files: \d+\n/)
    expect(stdout).toMatch(/modified {2}quay\/bookings\.py/)
    expect(stdout).toMatch(/billed so far: [\d,]+ in \([\d,]+ from the cache\), [\d,]+ out/)
    expect(stdout).toMatch(/What each strategy would give, without a model\n/)
    expect(stdout).toMatch(/ {2}trim-tool-results +[\d,]+ █+.* \d+ %/)
    expect(place().left()).toEqual([])
  })

  it('says the same as JSON, in which the turns and the kinds add up', async () => {
    const found = await place().json<Inspection>(['inspect', sample('session.json')])
    const turns = found.turns.reduce((sum, { tokens }) => sum + tokens, 0)
    const { total, system } = found.tokens
    expect(turns + system).toBe(total)
    expect(found.strategies).toContainEqual({ id: 'trim-tool-results', tokens: expect.any(Number) })
    // What needs a model is not tried.
    expect(found.strategies.map(({ id }) => id)).not.toContain('summarize')
    const counted = await place().json<Inspection>([
      'inspect',
      sample('session.json'),
      '--counter',
      'o200k',
    ])
    expect(counted.counter).toBe('o200k')
    expect(counted.tokens.total).not.toBe(total)
  })

  it('shows the compactions that a tool recorded, and what they lost', async () => {
    const found = await place().json<Inspection>(['inspect', sample('sessions/claude-code.jsonl')])
    expect(found.compactions).toMatchObject([
      {
        by: 'claude-code',
        strategyId: 'recorded',
        inForce: true,
        replaced: { user: 1, answer: 2, result: 3 },
        files: { known: 2, named: 1, lost: ['test/heat.test.ts'] },
      },
    ])
    const { stdout } = await place().precis(['inspect', sample('sessions/claude-code.jsonl')])
    expect(stdout).toContain('names 1 of 2 files; no longer test/heat.test.ts')
  })
})
