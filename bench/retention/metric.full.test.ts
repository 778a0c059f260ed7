// The metric itself under test: it falls where something needed goes, and cannot be flattered.
import { describe, expect, it } from 'vitest'
import type { EventDraft, ThreadEvent } from '../../src/core/log/event.ts'
import { trimToolResults } from '../../src/strategies/trim.ts'
import { result } from '../../test/say.ts'
import { cellOf } from './aggregate.ts'
import { type Cut, cutsOf } from './cuts.ts'
import { measureSession } from './measure.ts'
import { type Future, needsOf } from './needs.ts'
import { COUNTERS, newestWithin, type Piece, piecesOf, tokensIn } from './pieces.ts'
import { policiesWith } from './policies.ts'
import { pairKey } from './presence.ts'
import { random } from './random.ts'
import { scorer } from './score.ts'
import { type Session, sessionOf } from './session.ts'
import { smallSession } from './small-session.ts'

const SETTINGS = { futureTurns: 40, minTokens: 500, minNeeds: 5 } as const
const MEASURED = { ...SETTINGS, counter: 'estimate', seed: 7 } as const
const SEEDS = [1, 2, 3]
const REAL = ['keep-last', 'mask-results', 'trim-messages', 'prune-messages', 'trim-tool-results']
/** What nobody would send to a model, and the summaries that a session without any does not have. */
const CONTROLS = ['identifier-list', 'oracle', 'random', 'recorded']

/** Without a cut a test would prove nothing; each cut needs something. */
async function cutsIn(drafts: readonly EventDraft[]): Promise<Cut[]> {
  const cuts = await cutsOf(await sessionOf('small', drafts), SETTINGS, COUNTERS.estimate)
  expect(cuts.length).toBeGreaterThan(0)
  return cuts
}

function rewritten(pieces: readonly Piece[], change: (text: string) => string): Piece[] {
  return pieces.map((piece) => ({ ...piece, text: change(piece.text) }))
}

function noise(seed: number): Piece {
  const next = random(seed)
  const word = () => Math.floor(next() * 1e9).toString(36)
  const lines = Array.from({ length: 40 }, () => `${word()}_${word()} ${word()} src/${word()}.ts`)
  const text = lines.join('\n')
  return { kind: 'user', text, tokens: COUNTERS.estimate.weigh(text), message: 0 }
}

describe('what was kept', () => {
  it.each(SEEDS)(
    'scores less without any one identifier that was needed, seed %i',
    async (seed) => {
      for (const { needs, pieces } of await cutsIn(smallSession({ seed }))) {
        const score = scorer(needs)
        expect(score(pieces)).toEqual({ unary: 1, pair: 1, headline: 1 })
        for (const term of needs.terms) {
          const { unary, headline } = score(
            rewritten(pieces, (text) => text.replaceAll(term, 'it')),
          )
          expect(unary, term).toBeLessThan(1)
          expect(headline, term).toBeLessThan(1)
        }
      }
    },
  )

  it('scores less where identifiers are still there and what they were bound to is not', async () => {
    for (const { needs, pieces } of await cutsIn(smallSession())) {
      const apart = rewritten(pieces, (text) => text.replaceAll(' ', '\n'))
      const { unary, pair } = scorer(needs)(apart)
      expect(unary).toBe(1)
      expect(pair).toBe(0)
    }
  })

  it('scores less without a whole argument that was needed', async () => {
    const [cut] = await cutsIn(withEdits())
    const [argument = ''] = cut?.needs.arguments ?? []
    expect(argument).not.toBe('')
    const kept = rewritten(cut?.pieces ?? [], (text) =>
      text.replaceAll(argument, argument.slice(1)),
    )
    expect(cut && scorer(cut.needs)(kept).exact).toBeLessThan(1)
  })

  it.each(SEEDS)(
    'scores no more with noise, with repetitions, or in another order, seed %i',
    async (seed) => {
      for (const { needs, pieces, tokens } of await cutsIn(smallSession({ seed }))) {
        const score = scorer(needs)
        const kept = newestWithin(pieces, tokens / 10, COUNTERS.estimate)
        expect(score([...kept, noise(seed)])).toEqual(score(kept))
        expect(score([...kept, ...kept])).toEqual(score(kept))
        expect(score(kept.toReversed())).toEqual(score(kept))
        const crowded = newestWithin([...pieces, noise(seed)], tokens / 10, COUNTERS.estimate)
        expect(score(crowded).headline).toBeLessThanOrEqual(score(kept).headline)
      }
    },
  )
})

/** Later calls repeat a whole argument of earlier ones. */
function withEdits(): EventDraft[] {
  const edit = (id: string, path: string): EventDraft[] => [
    { type: 'AGENT_MESSAGE', data: { content: '', calls: [id] } },
    { type: 'TOOL_CALL', data: { id, name: 'edit', arguments: { path }, answer: 0 } },
    result(id, 'done'),
  ]
  const drafts = smallSession({ rounds: 40 })
  return [...drafts, ...[3, 5, 9].flatMap((n) => edit(`late_${n}`, `src/${pathIn(drafts, n)}`))]
}

function pathIn(drafts: readonly EventDraft[], index: number): string {
  const calls = drafts.flatMap((draft) =>
    draft.type === 'TOOL_CALL' ? [draft.data.arguments] : [],
  )
  const { path } = calls[index] as { path: string }
  return path.replace(/^src\//, '')
}

/** The agent has compacted it at three fifths. */
async function compactedSession(): Promise<Session> {
  const drafts = smallSession()
  const answers = drafts.flatMap(({ type }, at) => (type === 'AGENT_MESSAGE' ? [at] : []))
  const middle = answers[Math.floor(answers.length * 0.6)]
  const session = await sessionOf('compacted', drafts)
  const { threads } = session
  const threadId = await threads.create()
  await threads.import(threadId, drafts.slice(0, middle))
  await threads.compact(threadId, trimToolResults, { trigger: 'import' })
  await threads.import(threadId, drafts.slice(middle))
  const events = (await threads.getAllEvents(threadId)) as ThreadEvent[]
  return { ...session, compacted: { threadId, events } }
}

describe('cuts', () => {
  it('are at 50, 65 and 80 %, and where the agent itself compacted, with what it kept', async () => {
    const session = await compactedSession()
    const cuts = await cutsOf(session, SETTINGS, COUNTERS.estimate)
    expect(cuts.map(({ at }) => at)).toEqual(['50%', '65%', '80%', 'recorded'])
    const { tokens, recorded = [] } = cuts[3] ?? {}
    expect(tokensIn(recorded)).toBeGreaterThan(0)
    expect(tokensIn(recorded)).toBeLessThan(tokens ?? 0)
    const measured = [await measureSession(session, await policiesWith(), MEASURED)]
    const own = cellOf(measured, 'recorded', 'recorded', 1)
    expect(own?.sessions).toBe(1)
    expect(cellOf(measured, 'keep-last', 'recorded', 1)?.sessions).toBe(1)
    expect(cellOf(measured, 'recorded', '10%', 1)).toBeUndefined()
  })
})

describe('policies', () => {
  it('are all below the oracle, and the real ones above the bare list of identifiers', async () => {
    const policies = await policiesWith()
    expect(Object.keys(policies)).toEqual(expect.arrayContaining(REAL))
    for (const seed of SEEDS) {
      const session = await sessionOf(`small ${seed}`, smallSession({ seed }))
      const measured = [await measureSession(session, policies, MEASURED)]
      for (const budget of ['5%', '10%', '20%'] as const) {
        const of = (policy: string) => cellOf(measured, policy, budget, 1)?.headline.mean ?? -1
        for (const policy of Object.keys(policies))
          expect(of('oracle'), `${policy} at ${budget}`).toBeGreaterThanOrEqual(of(policy))
        for (const policy of Object.keys(policies).filter((name) => !CONTROLS.includes(name)))
          expect(of('identifier-list'), `${policy} at ${budget}`).toBeLessThan(of(policy))
      }
    }
  })

  it('are cut to the budget from the oldest, and what was above it is told', async () => {
    const session = await sessionOf('small', smallSession())
    const { 'keep-last': keepLast } = await policiesWith()
    const policies = keepLast ? { 'keep-last': keepLast } : {}
    const { cuts } = await measureSession(session, policies, MEASURED)
    for (const { tokens, measured } of cuts)
      for (const { budgetTokens, keptTokens, overTokens } of measured) {
        expect(keptTokens).toBeLessThanOrEqual(budgetTokens)
        expect(overTokens).toBe(tokens - budgetTokens)
      }
  })

  it('without those that need a model', async () => {
    expect(Object.keys(await policiesWith())).not.toContain('summarize')
  })
})

const FACT = 'The job fails in src/jobs/nightly.ts because retryLimit is 250ms.'
const USE = 'I raise retryLimit where the job fails in src/jobs/nightly.ts now.'
const NEEDED = ['retryLimit', 'src/jobs/nightly.ts']
const agent = (text: string) => ({ by: 'agent', text, arguments: [] }) as const
const others = (text: string) => ({ by: 'others', text }) as const

const NEEDS: readonly {
  readonly name: string
  readonly future: Future
  readonly system?: string
  readonly needed: readonly string[]
}[] = [
  { name: 'what the agent wrote later and knew from before', future: [agent(USE)], needed: NEEDED },
  { name: 'not what it never wrote', future: [agent('I stop.'), others(USE)], needed: [] },
  {
    name: 'not what it was told anew before it wrote it',
    future: [others(FACT), agent(USE)],
    needed: [],
  },
  {
    name: 'what it was told anew only after it wrote it',
    future: [agent(USE), others(FACT)],
    needed: NEEDED,
  },
  { name: 'not what the system prompt says', future: [agent(USE)], system: FACT, needed: [] },
  {
    name: 'not what it found by itself',
    future: [agent('I add src/jobs/weekly.ts with maxAge.')],
    needed: [],
  },
]

describe('what is needed', () => {
  it.each(NEEDS)('is $name', ({ future, system, needed }) => {
    const needs = needsOf([FACT], future, system === undefined ? [] : [system])
    expect([...needs.terms].toSorted()).toEqual(needed)
  })

  it('binds an identifier to the nearest word on each side, where both stood together before', () => {
    const { pairs } = needsOf([FACT], [agent(USE)], [])
    expect([...pairs.keys()]).toEqual(NEEDED.toReversed().map((term) => pairKey(term, 'fails')))
  })

  it('is a quoted sentence, and a whole argument, verbatim', () => {
    const command = 'npm test -- --grep "two of them"'
    const prefix = [`It said "cannot open the file twice".`, `command: ${command}`]
    const future = [
      agent('So "cannot open the file twice" is about the lock.'),
      { by: 'agent', text: command, arguments: [command, 'npm test -- --bail'] } as const,
    ]
    const needs = needsOf(prefix, future, [])
    expect([...needs.quotes]).toEqual(['cannot open the file twice'])
    expect([...needs.arguments]).toEqual([command])
  })

  it('is nothing in a session that never comes back to anything: it is left out', async () => {
    const forgetful = await sessionOf('forgetful', smallSession({ back: [] }))
    const other = await sessionOf('other', smallSession())
    const policies = await policiesWith()
    const measured = [
      await measureSession(forgetful, policies, MEASURED),
      await measureSession(other, policies, MEASURED),
    ]
    expect(measured[0]?.cuts).toEqual([])
    const cell = cellOf(measured, 'keep-last', '10%', 1)
    expect(cell).toEqual(cellOf(measured.slice(1), 'keep-last', '10%', 1))
    expect(cell?.sessions).toBe(1)
  })
})

describe('a call', () => {
  it('counts the same where a policy shows it as JSON', () => {
    const given = { path: 'src/a/b.ts', edit: 'const lastSeen = 1\nconst nextSeen = "two"' }
    const needs = needsOf(
      [`path: ${given.path}\n${given.edit}`],
      [{ by: 'agent', text: given.edit, arguments: [given.path, given.edit] }],
      [],
    )
    const call = { type: 'tool_call', id: 'a', name: 'edit', arguments: given } as const
    const text = { type: 'text', text: `edit(${JSON.stringify(given)})` } as const
    const scores = [call, text].map((part) =>
      scorer(needs)(piecesOf([{ role: 'assistant', parts: [part] }], COUNTERS.estimate)),
    )
    expect(scores).toEqual([
      { unary: 1, pair: 1, headline: 1, exact: 1 },
      { unary: 1, pair: 1, headline: 1, exact: 1 },
    ])
  })
})
