// Compaction of a log without a store: propose → gate → change and report, as steps that wait only for a
// model.
import type { CompactionData } from '../core/edit/change.ts'
import { passGateWith, type TextCheck } from '../core/edit/gate.ts'
import type { Refusal } from '../core/edit/gate-checks.ts'
import type { Pins } from '../core/edit/pins.ts'
import type { CompactionReport, ReportFallback } from '../core/edit/report.ts'
import {
  type Proposal,
  proposing,
  type Strategy,
  type StrategyInput,
} from '../core/edit/strategy.ts'
import { PrecisError } from '../core/errors.ts'
import { type Steps, wait } from '../core/steps.ts'
import { buildReport, withCounts } from './counted-change.ts'

export interface LogPlan extends Omit<StrategyInput, 'pins'> {
  readonly strategy: Strategy
  readonly pins: Pins
  readonly runId: string
  readonly fallback?: ReportFallback | undefined
}

export type LogOutcome =
  | { readonly ok: true; readonly change: CompactionData; readonly report: CompactionReport }
  | { readonly ok: false; readonly refusal: Refusal }

/** Returns the data of the COMPACTION to append; appends nothing. */
export function* compactLog(compaction: LogPlan): Steps<LogOutcome> {
  const { strategy, runId, fallback, ...input } = compaction
  const { context, eventAt, pins, trigger, targetTokens, run } = input
  const proposal = yield* proposing(strategy, { ...input, budget: targetTokens })
  requireProposal(strategy.id, proposal)
  if (run.signal?.aborted)
    throw new PrecisError('aborted', 'The compaction was aborted; nothing was changed.')
  const result = passGateWith(yield* textCheckFor(proposal), {
    context,
    eventAt,
    pins,
    proposal,
    trigger,
    targetTokens,
    runId,
    basedOn: context.version,
    strategyId: strategy.id,
  })
  if (!result.ok) return result
  const counted = withCounts(result, run.threadId, { context, eventAt })
  const report = buildReport({ targetTokens, fallback }, counted, { context, pins })
  return { ok: true, change: counted.change, report }
}

/** Loaded only if a model wrote something; otherwise the steps never wait. */
function* textCheckFor({ written = [] }: Proposal): Steps<TextCheck> {
  if (written.length === 0) return () => undefined
  return (yield* wait(import('../core/edit/pass-gate.ts'))).checkText
}

/** Authors of JavaScript strategies have no compiler to tell them. */
export function requireProposal(id: string, proposal: unknown): void {
  const given = proposal as { readonly edits?: unknown } | null | undefined
  if (!Array.isArray(given?.edits))
    throw new PrecisError('invalid-input', `The strategy "${id}" returned no proposal.`, {
      where: id,
      hint: '`propose` returns { edits: [] } where there is nothing to replace.',
    })
  const wrong = given.edits.findIndex((edit) => !isEdit(edit))
  if (wrong >= 0)
    throw new PrecisError('invalid-input', `edits[${wrong}] of the strategy "${id}" is no edit.`, {
      where: id,
      hint: 'An edit is { covers, put }, two arrays: runsOf(items, eventAt) gives what it covers.',
    })
}

function isRun(run: unknown): boolean {
  return typeof run === 'string' || Array.isArray(run)
}

function isEdit(edit: unknown): boolean {
  const { covers, put } = Object(edit)
  return Array.isArray(covers) && covers.every(isRun) && Array.isArray(put)
}
