// `cascade`: the cheapest first, each rung on what the one before left, until it is small enough. No model.
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
   * Begins again from what the rungs before the lossy ones left: it chooses among lines that these have
   * taken out. What it gives counts only if it is smaller.
   */
  readonly startsOver?: true
  /** Takes out what someone may still need. */
  readonly isLossy?: true
  /** Takes out one kind of content: not where most has to go, nor where instructions say what to keep. */
  readonly isShallow?: true
  /** Only if there is no other way to a target that must be met. */
  readonly isLast?: true
  /** It knows by itself what the pins are going to take. */
  readonly countsPins?: true
}

/** How far down the ladder has come. */
interface RungResult {
  readonly draft: LadderDraft
  readonly edits: readonly Edit[]
  readonly tokens: number // what the gate will count
  readonly metadata: Json
}

/** A rung that failed, and why. */
interface LeftOut {
  readonly from: string
  readonly error: PrecisError
}

interface Goal {
  readonly tokens: number
  readonly isHard: boolean
}

/**
 * A deeper target takes most of what was said. Whoever chooses line by line what is likely to be needed keeps
 * more of it than whoever takes out one kind of content after the other: measured by `npm run bench -- retention`.
 */
const DEEP_SHARE = 0.25

/** Below this nobody gains anything by going on, unless a target says so. */
const SMALL_TOKENS = 2_000

/**
 * One proposal, and so one event and one break of the provider's cache, however many rungs it took. It is
 * within the target, or the error is `irreducible`. A rung that fails is left out.
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
      // A hard goal includes the pins that the gate adds: what is compared with it counts them from the start.
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
  // By itself it fires where the provider has counted more than is estimated here: then half is less, too.
  return { tokens: Math.max(SMALL_TOKENS, Math.floor(weight / 2)), isHard: false }
}

/** Of what can be compacted: system prompts stay in any case. */
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
    // There is another rung below: only the last one may end in nothing. Some are climbed twice.
    if (leftOut.some(({ from }) => from === strategy.id)) return undefined
    run.onWarning?.(`${strategy.id} was left out: ${error.message}`)
    leftOut.push({ from: strategy.id, error })
    return undefined
  }
}

/** What the user said last stays word for word, as long as there is another way. */
function touchesNewest({ reasons }: LadderDraft, { context, eventAt }: StrategyInput): boolean {
  const items = context.items.toArray()
  const newest = items[lastSaid(items, eventAt)]
  return newest !== undefined && reasons.has(newest.id)
}

/** What the gate counts in the end: with pins and requests, and without the thinking that it hides. */
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

/**
 * It might have been small enough with a rung that failed: whoever reads the error has to know. One that came
 * no further by itself says what the error says.
 */
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
