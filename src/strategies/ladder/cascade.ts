// `cascade`: cheapest rung first, each on the previous result, until it is small enough. No model.
import type { Edit, EntryId } from '../../core/edit/change.ts'
import { tryGate } from '../../core/edit/gate.ts'
import {
  irreducible,
  ownTarget,
  proposeNothing,
  weighNewPins,
} from '../../core/edit/irreducible.ts'
import { reasonsIn } from '../../core/edit/report.ts'
import { proposing, type Strategy, type StrategyInput, stepwise } from '../../core/edit/strategy.ts'
import { asPrecisError, PrecisError } from '../../core/errors.ts'
import * as option from '../../core/options.ts'
import type { Steps } from '../../core/steps.ts'
import { fieldsIn, type Json } from '../../core/text/json.ts'
import { type Context, weightOf } from '../../core/view/context.ts'
import { lastSaid } from '../drop-note.ts'
import { advance, beginDraft, type LadderDraft } from './draft.ts'
import { findEdits } from './edits.ts'

export interface Rung {
  readonly strategy: Strategy
  /**
   * Restarts from the state before lossy rungs: it selects among lines those removed. Used only if its result
   * is smaller.
   */
  readonly startsOver?: true
  /** Removes what may still be needed. */
  readonly isLossy?: true
  /** Removes one kind of content: unsuitable for deep targets and for instructions. */
  readonly isShallow?: true
  /** Only if a required target cannot be met otherwise. */
  readonly isLast?: true
  /** Accounts for the size of pins itself. */
  readonly countsPins?: true
}

/** The state of the ladder. */
interface RungResult {
  readonly draft: LadderDraft
  readonly edits: readonly Edit[]
  readonly tokens: number // by the gate's count
  readonly metadata: Json
}

/** A failed rung and its reason. */
interface LeftOut {
  readonly from: string
  readonly error: PrecisError
}

interface Goal {
  readonly tokens: number
  readonly isHard: boolean
}

/**
 * For deep targets, selecting likely needed lines keeps more than removing one kind of content after another:
 * measured by `npm run bench -- retention`.
 */
const DEEP_SHARE = 0.25

/** Smaller contexts are not compacted further without a target. */
const SMALL_TOKENS = 2_000

/**
 * One proposal, and so one event and one cache break, however many rungs it took. It meets the target, or the
 * error is `irreducible`. Failed rungs are skipped.
 */
export function createCascade(rungs: readonly Rung[]): Strategy {
  requireRungs(rungs)
  return stepwise({
    id: 'cascade',
    *steps(input) {
      const { context, eventAt, run, pins } = input
      const goal = computeGoal(input)
      const tokens = weightOf(context)
      if (tokens <= goal.tokens) return proposeNothing({ tokens, targetTokens: goal.tokens })
      const draft = beginDraft(context, eventAt)
      // A hard goal includes the pins the gate adds, so count them from the start.
      const start = goal.isHard ? tokens + weighNewPins(input) : tokens
      let reached: RungResult = { draft, edits: [], tokens: start, metadata: {} }
      let lossless = reached
      const climbed: Json[] = []
      const leftOut: LeftOut[] = []
      for (const rung of rungs) {
        if (reached.tokens <= goal.tokens) break
        if (run.signal?.aborted) throw new PrecisError('aborted', 'The compaction was aborted.')
        if (rung.isLast && !goal.isHard) continue
        if (rung.isShallow && (input.instructions || isDeep(goal, context))) continue
        const from = rung.startsOver ? lossless : reached
        const next = yield* climb(rung, from, goal, input, leftOut)
        if (!next || next.tokens >= reached.tokens) continue
        reached = next
        if (!rung.isLossy) lossless = next
        climbed.push({ rung: rung.strategy.id, tokens: next.tokens })
      }
      if (goal.isHard && reached.tokens > goal.tokens)
        throw withLeftOut(
          irreducible({ ...reached.draft, pins }, { floor: reached.tokens, budget: goal.tokens }),
          leftOut,
        )
      const metadata = {
        ...readMetadata(reached, climbed, leftOut),
        ...ownTarget(input, goal.tokens),
      }
      return { edits: reached.edits, metadata }
    },
  })
}

const RUNG_CHECKS: option.Checks<Rung> = {
  strategy: option.strategyObject,
  startsOver: option.optional(option.flag),
  isLossy: option.optional(option.flag),
  isShallow: option.optional(option.flag),
  isLast: option.optional(option.flag),
  countsPins: option.optional(option.flag),
}

function requireRungs(rungs: readonly Rung[]): void {
  option.checkOptions('createCascade', { rungs }, { rungs: option.fullList })
  for (const [index, rung] of rungs.entries())
    option.checkOptions(`createCascade, rung ${index}`, rung, RUNG_CHECKS)
}

function computeGoal({ context, targetTokens, trigger }: StrategyInput): Goal {
  const weight = weightOf(context)
  const isAsked = trigger === 'command' || trigger === 'tool' || trigger === 'import'
  if (targetTokens !== undefined && (isAsked || weight > targetTokens))
    return { tokens: targetTokens, isHard: true }
  // When triggered automatically, the provider counted more than the estimate; half of the estimate is safe.
  return { tokens: Math.max(SMALL_TOKENS, Math.floor(weight / 2)), isHard: false }
}

/** Relative to what can be compacted; system prompts always stay. */
function isDeep({ tokens }: Goal, context: Context): boolean {
  const systemTokens = weightOf(context) - context.tokens
  return tokens - systemTokens < DEEP_SHARE * context.tokens
}

function* climb(
  { strategy, countsPins, isLast }: Rung,
  from: RungResult,
  goal: Goal,
  input: StrategyInput,
  leftOut: LeftOut[],
): Steps<RungResult | undefined> {
  const { pins = [], run } = input
  const { context, eventAt } = from.draft
  const reserve = countsPins ? 0 : weighNewPins(input)
  const targetTokens = Math.max(0, goal.tokens - reserve)
  try {
    const proposal = yield* proposing(strategy, {
      ...input,
      context,
      eventAt,
      budget: targetTokens,
      targetTokens,
    })
    if (proposal.edits.length === 0) return undefined
    const advanced = advance(from.draft, {
      edits: proposal.edits,
      reasonOf: reasonsIn(proposal.metadata),
      name: strategy.id,
      pins,
    })
    if (!advanced.ok) throw new PrecisError('gate-refused', advanced.refusal.message)
    if (!isLast && touchesNewest(advanced.draft, input)) return undefined
    const edits = findEdits(advanced.draft)
    const tokens = edits && landing(edits, input)
    if (edits === undefined || tokens === undefined) return undefined
    const metadata = { ...fieldsIn(from.metadata), ...fieldsIn(proposal.metadata) }
    return { draft: advanced.draft, edits, tokens, metadata }
  } catch (thrown) {
    const error = asPrecisError(thrown)
    if (error.code === 'aborted' || run.signal?.aborted) throw error
    // Only the last rung may fail the ladder. Some appear twice.
    if (leftOut.some(({ from }) => from === strategy.id)) return undefined
    run.onWarning?.(`${strategy.id} was left out: ${error.message}`)
    leftOut.push({ from: strategy.id, error })
    return undefined
  }
}

/** The user's last message stays unchanged while there is another way. */
function touchesNewest({ reasons }: LadderDraft, { context, eventAt }: StrategyInput): boolean {
  const items = context.items.toArray()
  const newest = items[lastSaid(items, eventAt)]
  return newest !== undefined && reasons.has(newest.id)
}

/** The gate's final count: with pins and requests, without hidden thinking. */
function landing(edits: readonly Edit[], input: StrategyInput): number | undefined {
  const { context, eventAt, targetTokens, pins = [] } = input
  const gated = tryGate({
    context,
    eventAt,
    proposal: { edits },
    basedOn: context.version,
    strategyId: 'cascade',
    trigger: 'command',
    runId: 'cascade',
    pins,
    targetTokens,
  })
  return gated.ok ? gated.data.after.tokens : undefined
}

/** A failed rung might have met the target, so the error names it. A rung without effect needs no mention. */
function withLeftOut(error: PrecisError, all: readonly LeftOut[]): PrecisError {
  const failed = all.filter(({ error: { code } }) => code !== 'irreducible')
  if (failed.length === 0) return error
  const leftOut = listLeftOut(failed)
  const said = leftOut
    .map(({ from, reason }) => `${from} was left out: ${sentence(reason)}`)
    .join(' ')
  return new PrecisError(error.code, error.message, {
    hint: `${said} ${error.hint ?? ''}`,
    details: { ...error.details, leftOut },
  })
}

/** With a full stop, whoever wrote it. */
function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

function readMetadata(
  { draft, metadata }: RungResult,
  climbed: readonly Json[],
  leftOut: readonly LeftOut[],
) {
  const reasons: Record<string, EntryId[]> = {}
  for (const [id, why] of draft.reasons) {
    const own = Object.hasOwn(reasons, why) ? reasons[why] : undefined
    if (own) own.push(id)
    else reasons[why] = [id]
  }
  return {
    ...fieldsIn(metadata),
    rungs: climbed,
    reasons,
    ...(leftOut.length > 0 && { leftOut: listLeftOut(leftOut) }),
  }
}

function listLeftOut(leftOut: readonly LeftOut[]) {
  return leftOut.map(({ from, error: { message: reason } }) => ({ from, reason }))
}
