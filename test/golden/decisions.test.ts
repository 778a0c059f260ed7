// Golden: token estimates, the budget, calibration, and what the policy decides over a grid of readings.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { budgetForWindow, TokenBudget } from '../../src/core/log-design/budget.ts'
import { autoCompactPolicy, autoCompactState } from '../../src/core/log-design/from-plain-events.ts'
import {
  type Decision,
  decide,
  INITIAL_POLICY_STATE,
  observeReading,
  type PolicyEvent,
  type PolicySignal,
  policyAfter,
} from '../../src/core/window/policy.ts'
import { PRESETS } from '../../src/core/window/presets.ts'
import { calibrate, UNCALIBRATED } from '../../src/core/window/tokens/calibrate.ts'
import { cutHead, cutTail } from '../../src/core/window/tokens/cut.ts'
import { estimateTokens } from '../../src/core/window/tokens/estimate.ts'
import { type ContextBudget, type TriggerPolicy, targetOf } from '../../src/core/window/trigger.ts'
import { randomText } from '../generate/content.ts'
import { Random } from '../generate/random.ts'
import { digestOf, expectGolden } from './golden.ts'
import { openSample, seeds } from './subjects.ts'

const TRICKY = [
  '',
  ' ',
  '\n\n\n',
  '\t\t\tx',
  'a',
  'antidisestablishmentarianism',
  'HTTPServerError camelCaseWord snake_case_word kebab-case',
  '1234567890 3.14159 0xdeadbeef 1e10',
  '!!!???... --- === *** ###',
  'don’t can’t "quoted" (parens) [brackets] {braces}',
  'https://example.com/path?query=value&other=1#part',
  'ab0_'.repeat(50),
  'A'.repeat(200),
  '部署到生产环境',
  'ひらがなとカタカナ',
  '한국어 문장입니다',
  'Привет, мир',
  'مرحبا بالعالم',
  'नमस्ते दुनिया',
  'ไทยไม่มีวรรค',
  '👩‍👩‍👧‍👦🚀✅',
  '\ud83d',
  'é́́́',
  'line\r\nline\rline',
]

const POLICIES: Readonly<Record<string, TriggerPolicy>> = {
  precis: PRESETS.precis.trigger,
  fold: PRESETS.fold.trigger,
  legacy: autoCompactPolicy({
    enabled: true,
    threshold: 0.5,
    cooldownMs: 100,
    lastCompactionTime: 5,
  }),
  levels: {
    enabled: true,
    ratio: 0.9,
    reserveTokens: 200,
    absoluteTokens: 700,
    compare: 'inclusive',
    warnRatio: 0.5,
    prepareRatio: 0.6,
    targetRatio: 0.4,
    cooldownMs: 1_000,
    pauseAfter: 2,
  },
}
const BUDGETS: readonly ContextBudget[] = [
  {},
  { windowTokens: 1_000 },
  { windowTokens: 1_000, outputReserveTokens: 300 },
  { windowTokens: 1_000, floorTokens: 450 },
  { windowTokens: 1_000, floorTokens: 1_001 },
  { windowTokens: 0 },
]
const FILLS = [undefined, 499, 500, 600, 700, 701, 799, 800, 801, 900, 1_001]
const STATES = {
  initial: INITIAL_POLICY_STATE,
  cooling: { ...INITIAL_POLICY_STATE, lastCompactionAtMs: 9_500 },
  cooled: { ...INITIAL_POLICY_STATE, lastCompactionAtMs: 9_000 },
  later: { ...INITIAL_POLICY_STATE, lastCompactionAtMs: 10_500 },
  disarmed: { ...INITIAL_POLICY_STATE, armed: false },
  pausing: { ...INITIAL_POLICY_STATE, unhelpful: 3, failures: 1 },
  failing: { ...INITIAL_POLICY_STATE, unhelpful: 3, failures: 3, told: true },
}
const SIGNALS: readonly PolicySignal[] = ['auto', 'command', 'tool', 'overflow']

/** Runs of equal decisions are one line: `0…499 nothing below`. */
function decisions(policy: TriggerPolicy, budget: ContextBudget): string[] {
  return Object.entries(STATES).flatMap(([name, state]) =>
    (name === 'initial' ? SIGNALS : (['auto'] as const)).map((signal) => {
      const runs: { from: unknown; to: unknown; what: string }[] = []
      for (const tokens of FILLS) {
        const reading = tokens === undefined ? {} : { tokens }
        const what = inShort(decide({ policy, state, signal, reading, budget, nowMs: 10_000 }))
        const last = runs.at(-1)
        if (last?.what === what) last.to = tokens
        else runs.push({ from: tokens ?? 'unknown', to: tokens ?? 'unknown', what })
      }
      const spans = runs.map(({ from, to, what }) => `${from}…${to} ${what}`)
      return `${name}, ${signal}: ${spans.join('; ')}`
    }),
  )
}

function inShort(decision: Decision): string {
  const { message, ...facts } = { message: '', ...decision }
  const text = message.replaceAll(/\d+/g, 'N')
  return `${Object.values(facts).join(' ')}${text === '' ? '' : ` ${digestOf(text)}`}`
}

describe('tokens', () => {
  it('are estimated', async () => {
    const folder = new URL('../texts/', import.meta.url)
    const files = readdirSync(folder).sort()
    await expectGolden('decisions-estimates', {
      tricky: TRICKY.map((text) => `${estimateTokens(text)} ${JSON.stringify(text)}`),
      texts: files.map((name) => {
        const text = readFileSync(new URL(name, folder), 'utf8')
        const lines = text.split('\n').map(estimateTokens)
        return `${name}: ${estimateTokens(text)}; ${lines.join(' ')}`
      }),
      random: seeds(40).map((seed) => estimateTokens(randomText(new Random(seed)))),
    })
  })

  it('are cut between characters', async () => {
    const rows = TRICKY.map((text) =>
      [0, 1, 2, 5, 9, 40].map((most) => [cutHead(text, most), cutTail(text, most)].join(' … ')),
    )
    await expectGolden('decisions-cuts', rows)
  })

  it('are calibrated by measurements', async () => {
    const pairs = [
      [1_000, 800],
      [1_100, 850],
      [2_500, 1_600],
      [2_400, 1_500],
      [9_000, 2_000],
      [9_100, 6_000],
      [0, 0],
      [20_000, 9_000],
    ] as const
    let calibration = UNCALIBRATED
    const rows = pairs.flatMap(([tokens, estimate], at) => {
      calibration = calibrate(calibration, at === 5 ? undefined : { tokens, estimate })
      return [calibration]
    })
    await expectGolden('decisions-calibration', rows)
  })
})

describe('the policy', () => {
  it.each(Object.entries(POLICIES))('decides with the levels of %s', async (name, policy) => {
    const rows = BUDGETS.map((budget) => ({ budget, decisions: decisions(policy, budget) }))
    const said = new Set(
      BUDGETS.flatMap((budget) =>
        Object.values(STATES).map((state) => {
          const reading = { tokens: 950 }
          return decide({ policy, state, signal: 'auto', reading, budget, nowMs: 10_000 })
        }),
      ).flatMap((decision) => ('message' in decision ? [decision.message] : [])),
    )
    await expectGolden(`decisions-policy-${name}`, { policy, rows, said })
  })

  it('remembers what happened', async () => {
    const policy = POLICIES.levels as TriggerPolicy
    const budget = { windowTokens: 1_000 }
    const events: PolicyEvent[] = [
      { type: 'failed' },
      { type: 'compacted', atMs: 5 },
      { type: 'reading', over: true },
      { type: 'reading', over: true },
      { type: 'told' },
      { type: 'compacted', atMs: 9 },
      { type: 'reading', over: false },
    ]
    let state = autoCompactState({
      enabled: true,
      threshold: 0.8,
      cooldownMs: 1,
      lastCompactionTime: 3,
    })
    const states = events.map((event) => {
      state = policyAfter(state, event)
      return { event, state }
    })
    const observed = FILLS.map((tokens) =>
      observeReading(
        { ...INITIAL_POLICY_STATE, armed: false, unhelpful: 1 },
        {
          policy,
          budget,
          reading: tokens === undefined ? {} : { tokens },
        },
      ),
    )
    const targets = BUDGETS.flatMap((each) =>
      [undefined, 100, 900].map((overflown) => targetOf(policy, each, overflown) ?? 'none'),
    )
    await expectGolden('decisions-states', { states, observed, targets })
  })
})

describe('the budget', () => {
  it('counts what was used', async () => {
    const { threads, threadId, log } = await openSample('codex')
    const all = await threads.getAllEvents(threadId)
    const compaction = all.findLast((event) => event.type === 'COMPACTION')
    const rows = [0, 100, 799, 800, 801, 950, 1_000, 1_200].map((totalTokens) => {
      const budget = new TokenBudget({
        maxTokens: 1_000,
        warningThreshold: 0.7,
        reserveTokens: 50,
        ...(totalTokens > 900 && { threshold: 0.6 }),
      })
      const usage = { promptTokens: totalTokens - 10, completionTokens: 10, totalTokens }
      budget.recordUsage({ usage })
      budget.recordUsage({})
      const before = [budget.getBudgetStatus(), budget.getRecommendations(), budget.getUsageInfo()]
      const fits = [0, 49, 50, 150, 151, 950].map((tokens) => budget.canMakeRequest(tokens))
      budget.handleCompaction(compaction?.data ?? {}, new Date(0))
      const compacted = budget.getUsageInfo()
      budget.handleCompaction({ after: { tokens: 70, by: 'estimated' } }, new Date(1))
      const after = budget.getUsageInfo()
      budget.handleCompaction({ compactedEvents: log.events }, new Date(2))
      return { before, fits, compacted, after, whole: budget.getUsageInfo() }
    })
    const windows = [undefined, 0, 100, 39_999, 40_000, 200_000].map((tokens) =>
      budgetForWindow(tokens)?.getBudgetStatus(),
    )
    await expectGolden('decisions-budget', { rows, windows })
  })
})
