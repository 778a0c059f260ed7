// `agent.compact`: a compaction on request, by the preset or with a chosen strategy.
import type { RunResult } from '../../core/agent/frame.ts'
import { FRESH_SESSION, type Strategy } from '../../core/edit/strategy.ts'
import { PrecisError } from '../../core/errors.ts'
import { isStandIn } from '../../core/model.ts'
import { type ThreadChoices, threadSettingsReducer } from '../../core/settings/settings-keys.ts'
import { weightOf } from '../../core/view/context.ts'
import { reducedBy } from '../../core/view/thread-state.ts'
import { decide, policyAfter } from '../../core/window/policy.ts'
import type { Preset } from '../../core/window/presets.ts'
import { triggerTokens } from '../../core/window/trigger.ts'
import type { AgentCore, Turn } from '../core.ts'
import { workWhenFree } from '../inbox/thread-lease.ts'
import {
  readPreset,
  readWindowStatus,
  targetWeight,
  type WindowStatus,
} from '../loop/window-status.ts'
import { askAgent, tooLongToAsk } from './ask-agent.ts'
import { fitting, isOverfull } from './automatic-order.ts'
import { runCompaction } from './compaction.ts'
import { compactionSince } from './compaction-lease.ts'
import { type Order, readEnd } from './compaction-run.ts'
import { planFor, strategiesFor } from './compaction-settings.ts'
import { requireExchange, sessionSince } from './fresh-session.ts'

export interface OrderOptions {
  /** By id; a strategy object is tried alone. */
  readonly strategy?: string | Strategy
  readonly instructions?: string
  /** The user's next message, for strategies that use it. */
  readonly nextPrompt?: string
  readonly signal?: AbortSignal
  /** The caller handles messages that arrived meanwhile, because it has something to send before them. */
  readonly leaveInbox?: boolean
}

const MESSAGE = 'Compacting conversation to save space...'

/**
 * Joins a running compaction, in any process. During a turn it runs at once and is applied between two
 * requests; otherwise it holds the thread like a turn.
 */
export async function compactByCommand(
  core: AgentCore,
  threadId: string,
  options: Omit<OrderOptions, 'leaveInbox'> = {},
): Promise<RunResult> {
  const desk = core.desks.of(threadId)
  if (desk.compaction) return desk.compaction
  const { version } = await core.ports.threads.context(threadId)
  const since = { version, atMs: core.ports.clock.now().getTime() }
  while (desk.work?.isBrief) await desk.work.settled
  if (desk.work) {
    const signal = AbortSignal.any([core.closing, ...(options.signal ? [options.signal] : [])])
    return compactNow({ core, desk, signal, depth: 0 }, options, 'beside')
  }
  return workWhenFree(
    core,
    desk,
    (turn) => compactNow(turn, options, 'alone', since),
    options.signal ? { signal: options.signal } : {},
  )
}

/** The version and time of the request. */
interface Since {
  readonly version: number
  readonly atMs: number
}

async function compactNow(
  turn: Turn,
  options: OrderOptions,
  where: 'alone' | 'beside',
  since?: Since,
): Promise<RunResult> {
  const { core, desk } = turn
  const order = await computeOrder(turn, options)
  const before = since === undefined ? undefined : await joined(turn, order, since)
  if (before) return before
  if (order.plan.strategies.includes(FRESH_SESSION)) await requireExchange(turn, where)
  if (desk.compaction) return desk.compaction
  const result = await runCompaction(core, desk, order)
  // Without a change there was no attempt to help.
  if (result.end === 'committed') {
    const atMs = core.ports.clock.now().getTime()
    desk.policy = policyAfter(desk.policy, { type: 'compacted', atMs })
  }
  return result
}

export async function computeOrder(
  turn: Turn,
  { strategy, instructions, nextPrompt }: OrderOptions,
): Promise<Order> {
  const seen = await withModel(turn)
  const choices = seen?.choices ?? (await listChoices(turn))
  const preset = readPreset(choices, turn.core.settings)
  const strategies = listStrategies(turn, { seen, choices, preset }, strategy)
  const targetTokens = seen && chooseTarget(turn, seen)
  const given = { strategies, instructions, nextPrompt, targetTokens }
  const isStuck = strategy === undefined && seen !== undefined && isOverfull(seen)
  const wayOut = isStuck && !strategies.includes(FRESH_SESSION) ? printWayOut(seen, preset) : {}
  return {
    plan: planFor(turn, { preset, seen }, { trigger: 'command', ...given, ...wayOut }),
    message: MESSAGE,
    isAtRest: strategies.some((each) => typeof each !== 'string'), // the agent is asked
    model: seen?.model,
    seenVersion: seen?.state.context.version,
  }
}

/** Leaving an oversized context unchanged would end the conversation. */
function printWayOut(seen: WindowStatus, { command, tool }: Preset) {
  const isAsked = command.run === 'ask-agent' && seen.choices.strategy === undefined
  return {
    ...fitting(seen, triggerTokens(seen.policy, seen.budget), 1),
    isOverfull: true,
    ...(isAsked && tool !== 'none' && { fallback: tooLongToAsk(tool) }),
  }
}

async function listChoices({ core, desk }: Turn): Promise<ThreadChoices> {
  return reducedBy(await core.ports.threads.state(desk.threadId), threadSettingsReducer)
}

/** Without a model only strategies that need none can run. */
async function withModel(turn: Turn): Promise<WindowStatus | undefined> {
  try {
    return await readWindowStatus(turn)
  } catch (error) {
    if (PrecisError.is(error) && error.code === 'no-model') return undefined
    throw error
  }
}

interface Chosen {
  readonly seen: WindowStatus | undefined
  readonly choices: ThreadChoices
  readonly preset: Preset
}

function listStrategies(
  turn: Turn,
  { seen, choices, preset }: Chosen,
  asked: string | Strategy | undefined,
): (string | Strategy)[] {
  if (typeof asked === 'object') return [asked]
  const chosen = asked ?? choices.strategy
  if (chosen === undefined && preset.command.run === 'ask-agent') {
    // What exceeds the agent's window is summarised in parts.
    if (seen && isOverfull(seen) && preset.automatic !== 'off') return [preset.automatic.strategyId]
    if (seen) return [askAgent(turn, seen)]
    throw new PrecisError(
      'no-model',
      'This preset asks the agent to compact, but no model is set.',
      {
        hint: 'Set models.default, or name a strategy that needs no model: trim-tool-results.',
      },
    )
  }
  const planned = strategiesFor({
    preset,
    on: 'command',
    ...(chosen !== undefined && { chosen }),
    // The stand-in does not count: strategies without a model do better.
    hasModel: seen !== undefined && !isStandIn(seen.model.ref),
  })
  // Commands have no fixed target. Trimming results may still leave more than the window holds: the last
  // resort then continues.
  return asked === undefined && seen && isOverfull(seen)
    ? planned.filter((id, at) => at === 0 || id !== 'trim-tool-results')
    : planned
}

/**
 * The policy's target if the context is above it. Otherwise a requested compaction uses the strategy's own
 * target.
 */
function chooseTarget({ core, desk }: Turn, seen: WindowStatus): number | undefined {
  const decision = decide({
    policy: seen.policy,
    state: desk.policy,
    signal: 'command',
    reading: seen.reading,
    budget: seen.budget,
    nowMs: core.ports.clock.now().getTime(),
  })
  if (decision.type !== 'compact' || decision.targetTokens === undefined) return undefined
  const targetTokens = targetWeight(seen, decision.targetTokens)
  return weightOf(seen.state.context) > targetTokens ? targetTokens : undefined
}

/** What another process committed while this one waited for the thread. */
async function joined(
  turn: Turn,
  { seenVersion, plan }: Order,
  { version, atMs }: Since,
): Promise<RunResult | undefined> {
  const { core, desk } = turn
  // A new session leaves no trace in the old thread.
  if (plan.strategies.includes(FRESH_SESSION)) return sessionSince(turn, atMs)
  if (seenVersion === version) return undefined
  const event = await compactionSince(core, desk.threadId, version)
  if (!event) return undefined
  const { runId, strategyId, trigger, before, after } = event.data
  return {
    runId,
    trigger,
    strategy: strategyId,
    success: true,
    end: readEnd(event),
    durationMs: 0,
    event,
    ...(before && { before }),
    ...(after && { after }),
  }
}
