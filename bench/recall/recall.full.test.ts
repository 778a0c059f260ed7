// The questions of the recall benchmark, and that its arms answer them: on a generated session.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { cutsOf } from '../retention/cuts.ts'
import { COUNTERS } from '../retention/pieces.ts'
import { sessionOf } from '../retention/session.ts'
import { smallSession } from '../retention/small-session.ts'
import { ARMS } from './arms.ts'
import { generateSessions } from './generate-sessions.ts'
import { askManySessions } from './many-sessions.ts'
import { askSession } from './measure.ts'
import { lostNames } from './queries.ts'

const SETTINGS = { futureTurns: 40, minTokens: 500, minNeeds: 1 } as const

describe('the questions', () => {
  it('are asked for names that are lost, in up to eight words that are not the name', async () => {
    const session = await sessionOf('s', smallSession({ rounds: 20 }))
    const [cut] = await cutsOf(session, SETTINGS, COUNTERS.estimate)
    if (!cut) throw new Error('the session has no cut')
    const all = lostNames(cut, [], SETTINGS.futureTurns)
    expect(all.lost).toBe(cut.needs.terms.size)
    expect(all.queries.length).toBeGreaterThan(0)
    for (const { name, words } of all.queries) {
      expect(words.length).toBeGreaterThanOrEqual(2)
      expect(words.length).toBeLessThanOrEqual(8)
      expect(words).not.toContain(name.toLowerCase())
    }
    expect(lostNames(cut, cut.pieces, SETTINGS.futureTurns).lost).toBe(0)
  })
})

describe('the arms', () => {
  it('answer each question; recall shows more of the names than plain searches', async () => {
    const session = await sessionOf('s', smallSession({ rounds: 80 }))
    const { asked, arms } = await askSession(session, 'repository', 6)
    expect(asked).toBeGreaterThan(5)
    for (const arm of ARMS) expect(arms[arm].within).toBeGreaterThanOrEqual(arms[arm].shown)
    expect(arms.recall.shown).toBeGreaterThan(arms.fts5.shown)
    expect(arms.recall.mostTokens).toBeLessThanOrEqual(400)
  })
})

describe('many sessions in one store', () => {
  it('have one fact each that its question finds, and are the same for the same seed', async () => {
    expect(generateSessions(5, 1)).toEqual(generateSessions(5, 1))
    for (const { texts, factAt } of generateSessions(50, 2))
      expect(texts[factAt]).toMatch(/ is \d+ /)
    const { found, questions, ratio } = await askManySessions(40, 20, 3)
    expect(questions).toBe(20)
    expect(found.recall).toBeGreaterThanOrEqual(0.9)
    expect(found.recall).toBeGreaterThanOrEqual(found.fts5)
    expect(ratio.value).toBeGreaterThan(0)
  })

  it('are not searched by a program that is not on this machine', async () => {
    vi.stubEnv('PATH', '')
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(Object.keys((await askManySessions(4, 2, 3)).found)).not.toContain('ripgrep')
  })
})
