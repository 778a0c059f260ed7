// The presets, cell by cell.
import { describe, expect, it } from 'vitest'
import { decide, INITIAL_POLICY_STATE } from './policy.ts'
import { type Fallback, PRESETS, type PresetId, type StrategyRun } from './presets.ts'

/** A cell as the table of C21 says it, in short. */
function command(id: PresetId): string {
  const plan = PRESETS[id].command
  return plan.run === 'ask-agent' ? 'ask the agent' : runOf(plan)
}

function runOf({ strategyId, withModel }: StrategyRun): string {
  return withModel === undefined ? strategyId : `${strategyId}, with ${withModel} where a model is`
}

function automatic(id: PresetId): string {
  const plan = PRESETS[id].automatic
  return plan === 'off' ? 'off' : runOf(plan)
}

const fallback = (plan: Fallback) => (plan === 'unchanged' ? plan : plan.strategyId)

describe('presets', () => {
  it.each<[PresetId, string, string, string, string, string, string]>([
    ['range', 'ask the agent', 'summarize', 'ranges', 'on', 'unchanged', 'unchanged'],
    ['whole', 'ask the agent', 'summarize', 'summary', 'off', 'unchanged', 'unchanged'],
    ['fold', 'chunked-fold', 'chunked-fold', 'none', 'off', 'unchanged', 'unchanged'],
    [
      'log',
      'ai-summarize',
      'ai-summarize',
      'none',
      'off',
      'trim-tool-results',
      'trim-tool-results',
    ],
    ['fresh', 'fresh-session', 'off', 'none', 'off', 'unchanged', 'unchanged'],
    ['chat', 'fresh-session', 'cascade', 'summary', 'off', 'unchanged', 'extract'],
    [
      'precis',
      'cascade, with brief where a model is',
      'cascade',
      'summary',
      'off',
      'extract',
      'extract',
    ],
  ])(
    '%s: command %s, automatic %s, tool %s, checkpoints %s, fallbacks %s and %s',
    (id, ...cells) => {
      const { tool, checkpoints, onFailure } = PRESETS[id]
      expect([
        command(id),
        automatic(id),
        tool,
        checkpoints ? 'on' : 'off',
        fallback(onFailure.command),
        fallback(onFailure.automatic),
      ]).toEqual(cells)
    },
  )

  it.each<[PresetId, 'strict' | 'inclusive', number]>([
    ['range', 'inclusive', 0],
    ['whole', 'inclusive', 0],
    ['fold', 'inclusive', 0],
    ['log', 'strict', 60_000],
    ['chat', 'inclusive', 0],
    ['precis', 'inclusive', 0],
  ])('%s fires at 0.8, %s, with a pause of %i ms', (id, compare, cooldownMs) => {
    const { trigger } = PRESETS[id]
    expect(trigger).toMatchObject({ enabled: true, ratio: 0.8, compare, cooldownMs, pauseAfter: 2 })
    const at = (tokens: number) =>
      decide({
        policy: trigger,
        state: INITIAL_POLICY_STATE,
        signal: 'auto',
        reading: { tokens, by: 'measured' },
        budget: { windowTokens: 1_000 },
        nowMs: 0,
      })
    expect(at(799).type).not.toBe('compact')
    expect(at(800).type === 'compact').toBe(compare === 'inclusive')
    expect(at(801)).toMatchObject({ type: 'compact', targetTokens: 500 })
  })

  it('are off by themselves exactly where nothing runs automatically', () => {
    for (const preset of Object.values(PRESETS))
      expect(preset.trigger.enabled).toBe(preset.automatic !== 'off')
  })

  it('prepare in the background only where précis chose the trigger', () => {
    const preparing = Object.values(PRESETS).filter(({ trigger }) => trigger.prepareRatio)
    expect(preparing.map(({ id }) => id).toSorted()).toEqual([
      'chat',
      'fresh',
      'precis',
      'range',
      'whole',
    ])
  })

  it('stand under their own names, and cannot be changed', () => {
    for (const [id, preset] of Object.entries(PRESETS)) expect(preset.id).toBe(id)
    const loose = PRESETS.log as { -readonly [K in keyof typeof PRESETS.log]: unknown }
    expect(() => {
      loose.tool = 'ranges'
    }).toThrow(TypeError)
    for (const { trigger, onFailure, command: plan } of Object.values(PRESETS))
      expect([trigger, onFailure, plan].every(Object.isFrozen)).toBe(true)
  })
})
