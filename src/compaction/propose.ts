// The first half of a compaction: a strategy proposes. Changes nothing.
import {
  type DetectedPin,
  FOUND_PINS_TOKENS,
  findPins,
  type PinningPolicy,
} from '../core/edit/detected-pins.ts'
import { type Pins, pinsReducer, releasedPinsReducer } from '../core/edit/pins.ts'
import type { Proposal, Strategy } from '../core/edit/strategy.ts'
import { PrecisError } from '../core/errors.ts'
import type { EventAt, PinData } from '../core/log/event.ts'
import { reducedBy } from '../core/view/thread-state.ts'
import { requireProposal } from './compact-log.ts'
import type { EditableThread } from './editable-thread.ts'
import { METERED, Meter } from './meter.ts'
import type { CompactionPlan, ProposalRecord } from './plan.ts'
import type { Tab } from './run-tab.ts'

type NewPin = Omit<PinData, 'pinId'>

/** Asks the strategy. The proposal does not cover what is appended meanwhile. */
export async function proposeCompaction(
  thread: EditableThread,
  strategy: Strategy,
  newRunId: string,
  options: Partial<CompactionPlan> = {},
  tab?: Tab,
): Promise<ProposalRecord> {
  const {
    trigger = 'command',
    targetTokens,
    minTokens,
    instructions,
    nextPrompt,
    settings,
    fallback,
    pins: _asked,
    pinning: _pinning,
    timestamp,
    expectedVersion,
    runId = newRunId,
    strategies: _strategies,
    acceptableTokens: _acceptable,
    lastResort: _last,
    isOverfull: _overfull,
    ...run
  } = options
  const { context, eventAt, pins, standing } = await readThread(thread, runId, options)
  const { scratch } = thread
  const meter = new Meter(tab)
  const isOurs = METERED.has(strategy.id)
  const proposal = await meter.run(run.provider, async (counted) => {
    // The caller's strategy gets the caller's provider (LOG-39) and reports its own cost.
    const provider = isOurs ? counted : run.provider
    const proposed = await strategy.propose({
      context,
      eventAt,
      run: { scratch, ...run, ...(provider && { provider }), threadId: thread.id },
      trigger,
      pins: [...standing, ...pins],
      reduce: (reducer) => thread.reduce(reducer, context.version),
      budget: targetTokens,
      targetTokens,
      instructions,
      nextPrompt,
    })
    requireProposal(strategy.id, proposed)
    if (run.signal?.aborted) throw aborted(proposed)
    return proposed
  })
  return {
    runId,
    strategyId: strategy.id,
    trigger,
    basedOn: context.version,
    madeAt: timestamp?.toISOString(),
    expectedVersion,
    targetTokens,
    minTokens,
    settings,
    fallback,
    pins: pins.length > 0 ? pins : undefined,
    proposal,
  }
}

/** The thread as the strategy sees it, with the proposal's pins. */
function readThread(
  thread: EditableThread,
  runId: string,
  { pins: asked = [], pinning, targetTokens }: Partial<CompactionPlan>,
) {
  return thread.exclusively(async () => {
    await thread.refresh()
    await thread.loadContext()
    // The strategy works on a fixed view; later loading does not affect it.
    const eventAt = thread.rows.copy()
    const standing = reducedBy(thread.state, pinsReducer)
    const wanted = asked.flatMap((pin) => missing(pin, standing)).map(withId(runId))
    const found = pinning
      ? pinsFor(thread, eventAt, [...standing, ...wanted], pinning, targetTokens)
      : []
    const pins = [...wanted, ...found.map(withId(runId, wanted.length))]
    return { context: thread.context, eventAt, pins, standing }
  })
}

/** Costs a strategy paid itself are billed as well. */
function aborted({ usage }: Proposal): PrecisError {
  return new PrecisError('aborted', 'The compaction was aborted; nothing was changed.', {
    details: { ...(usage && { usage }) },
  })
}

/** Detected pins take at most a third of the target. */
const PINS_SHARE = 3

function pinsFor(
  thread: EditableThread,
  eventAt: EventAt,
  pins: Pins,
  policy: PinningPolicy,
  targetTokens: number | undefined,
): DetectedPin[] {
  const { maxTokens = FOUND_PINS_TOKENS } = policy
  const share = targetTokens === undefined ? maxTokens : Math.ceil(targetTokens / PINS_SHARE)
  const released = reducedBy(thread.state, releasedPinsReducer)
  const limited = { ...policy, maxTokens: Math.min(maxTokens, share) }
  return findPins(thread.context, eventAt, { pins, released }, limited)
}

/** The missing part of a pin: nothing if its text and entries exist. */
function missing({ text, entries = [], ...pin }: NewPin, standing: Pins): NewPin[] {
  const held = new Set(standing.flatMap((each) => each.entries ?? []))
  const isNew = text !== undefined && !standing.some((each) => each.text === text)
  const more = entries.filter((id) => !held.has(id))
  if (!isNew && more.length === 0) return []
  return [{ ...pin, ...(isNew && { text }), ...(more.length > 0 && { entries: more }) }]
}

function withId(runId: string, before = 0): (pin: NewPin, index: number) => PinData {
  const run = runId.replace(/^run_/, '')
  return (pin, index) => ({ ...pin, pinId: `pin_${run}.${before + index + 1}` })
}
