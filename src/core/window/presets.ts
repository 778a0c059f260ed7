// The presets: what the commands, the automatic trigger and the tool run, as data (docs/spec/conflicts.md, C21).
import { AUTO_COMPACT_CONFIG, autoCompactPolicy } from '../log-design/from-plain-events.ts'
import type { TriggerPolicy } from './trigger.ts'

export type PresetId = 'range' | 'whole' | 'fold' | 'log' | 'fresh' | 'chat' | 'precis'

/** Runs a strategy; where a model is configured, `withModel` in its place. */
export interface StrategyRun {
  readonly run: 'strategy'
  readonly strategyId: string
  readonly withModel?: string
}
/** Asks the agent to call its own `compact` tool; the request does not stay in the context. */
export interface AgentRun {
  readonly run: 'ask-agent'
}

/** What happens when a compaction fails: the context stays, or another strategy runs. */
export type Fallback = 'unchanged' | { readonly strategyId: string }

export interface Preset {
  readonly id: PresetId
  readonly command: StrategyRun | AgentRun // /compact and @compact
  readonly automatic: StrategyRun | 'off'
  readonly tool: 'ranges' | 'summary' | 'none' // which form of the `compact` tool the agent has
  readonly checkpoints: boolean
  /** Whether sentences of the user that bind are pinned by themselves. */
  readonly findsPins: boolean
  readonly onFailure: { readonly command: Fallback; readonly automatic: Fallback }
  readonly trigger: TriggerPolicy
}

/** précis' own: fires at 0.8, lands at 0.5, and prepares in the background in between. */
const OWN_TRIGGER: TriggerPolicy = {
  enabled: true,
  ratio: 0.8,
  compare: 'inclusive',
  warnRatio: 0.6,
  prepareRatio: 0.7,
  targetRatio: 0.5,
  cooldownMs: 0,
  pauseAfter: 2,
}

/** FOLD: at 0.8 of the window, reached counts. */
const FOLD_TRIGGER: TriggerPolicy = {
  enabled: true,
  ratio: 0.8,
  compare: 'inclusive',
  warnRatio: 0.7,
  targetRatio: 0.5,
  cooldownMs: 0,
  pauseAfter: 2,
}

const UNCHANGED = { command: 'unchanged', automatic: 'unchanged' } as const

export const PRESETS: Readonly<Record<PresetId, Preset>> = frozen({
  range: {
    id: 'range',
    command: { run: 'ask-agent' },
    automatic: strategy('summarize'),
    tool: 'ranges',
    checkpoints: true,
    findsPins: false,
    onFailure: UNCHANGED,
    trigger: OWN_TRIGGER,
  },
  whole: {
    id: 'whole',
    command: { run: 'ask-agent' },
    automatic: strategy('summarize'),
    tool: 'summary',
    checkpoints: false,
    findsPins: false,
    onFailure: UNCHANGED,
    trigger: OWN_TRIGGER,
  },
  fold: {
    id: 'fold',
    command: strategy('chunked-fold'),
    automatic: strategy('chunked-fold'),
    tool: 'none',
    checkpoints: false,
    findsPins: false,
    onFailure: UNCHANGED,
    trigger: FOLD_TRIGGER,
  },
  log: {
    id: 'log',
    command: strategy('ai-summarize'),
    automatic: strategy('ai-summarize'),
    tool: 'none',
    checkpoints: false,
    findsPins: false,
    onFailure: {
      command: { strategyId: 'trim-tool-results' },
      automatic: { strategyId: 'trim-tool-results' },
    },
    trigger: autoCompactPolicy(AUTO_COMPACT_CONFIG),
  },
  fresh: {
    id: 'fresh',
    command: strategy('fresh-session'),
    automatic: 'off',
    tool: 'none',
    checkpoints: false,
    findsPins: false,
    onFailure: UNCHANGED,
    trigger: { ...OWN_TRIGGER, enabled: false },
  },
  chat: {
    id: 'chat',
    command: strategy('fresh-session'),
    automatic: strategy('cascade'),
    tool: 'summary',
    checkpoints: false,
    findsPins: true,
    onFailure: { command: 'unchanged', automatic: { strategyId: 'extract' } },
    trigger: OWN_TRIGGER,
  },
  precis: {
    id: 'precis',
    command: { run: 'strategy', strategyId: 'cascade', withModel: 'brief' },
    automatic: strategy('cascade'),
    tool: 'summary',
    checkpoints: false,
    findsPins: true,
    onFailure: { command: { strategyId: 'extract' }, automatic: { strategyId: 'extract' } },
    trigger: OWN_TRIGGER,
  },
})

function strategy(strategyId: string): StrategyRun {
  return { run: 'strategy', strategyId }
}

/** Frozen all the way down: a preset is a fact, not a place to keep settings. */
function frozen<T extends object>(value: T): T {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) frozen(inner)
  }
  return Object.freeze(value)
}
