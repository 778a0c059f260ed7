// One compaction of a session in memory: pins first, then proposals until one is small enough.
import type { Composed } from '../../compose.ts'
import { weightOf } from '../../core/context.ts'
import { PrecisError } from '../../core/errors.ts'
import { type BigPart, irreducible } from '../../core/irreducible.ts'
import type { CompactionReport, ReportSettings } from '../../core/report.ts'
import type { TokenSplit } from '../../core/report-split.ts'
import type { Settings } from '../../core/settings.ts'
import type { TokenCounter } from '../../core/tokens/counter.ts'
import type { CompactionOptions, PreparedCompaction } from '../../threads/compact-thread.ts'
import { type Budget, budgetTokens } from '../budget.ts'
import { countContext } from '../counter.ts'
import type { ProgressLine } from '../progress.ts'
import { type Loaded, loadThread, type Session } from '../session/session.ts'
import { thousands } from '../terminal.ts'
import { freshReport, startFresh } from './fresh-session.ts'
import { leftOutRemarks, unpinnedSentences } from './left-out-pins.ts'
import { pinWishes, type Wishes } from './wishes.ts'

export interface CompactionPlan {
  readonly strategyId: string
  readonly counter: TokenCounter
  readonly budget?: Budget
  readonly wishes: Wishes
  readonly settings: Settings
  readonly shown: ReportSettings // what the report names of the settings
  readonly progress: ProgressLine
  /** What was proposed before, to be applied as it is. */
  readonly proposal?: PreparedCompaction
}

export interface Compacted {
  /** Of the result: the same thread, or the one that a fresh session opened. */
  readonly threadId: string
  readonly prepared: PreparedCompaction
  /** In the tokens of the counter. */
  readonly before: TokenSplit
  readonly after: TokenSplit
  readonly budgetTokens?: number
  readonly report: CompactionReport // in estimated tokens
  readonly problems: readonly string[]
}

/** Rejects where nothing may come of it: refused by the gate, or not small enough. */
export async function compactSession(session: Session, plan: CompactionPlan): Promise<Compacted> {
  const { composed, threadId } = session
  const { counter, budget, wishes, progress } = plan
  const problems: string[] = []
  await pinWishes(composed, threadId, wishes)
  const before = await sideOf(composed, threadId, counter)
  const target = budget && budgetTokens(budget, before.tokens)
  progress.say(`compacting with ${plan.strategyId} …`)
  const prepared =
    plan.proposal ??
    (await prepareWithin(session, plan, before, target, (text) => problems.push(text)))
  const unpinned = await unpinnedSentences(composed, threadId, prepared, pinningOf(plan))
  const result: Result = prepared.proposal.fresh
    ? await startFresh(composed, threadId, prepared)
    : await commit(composed, threadId, prepared)
  const after = await sideOf(composed, result.threadId, counter)
  if (target !== undefined && after.tokens > target)
    throw tooLarge(await loadThread(composed, result.threadId), target, after, plan)
  problems.push(...(await leftOutRemarks(composed, result.threadId, unpinned)))
  const report = result.report ?? (await freshReport(composed, threadId, result.threadId, prepared))
  return {
    threadId: result.threadId,
    prepared,
    before: before.split ?? report.before,
    after: after.split ?? report.after,
    ...(target !== undefined && { budgetTokens: target }),
    report,
    problems,
  }
}

interface Measured {
  readonly tokens: number
  /** Where it was counted anew; else the report has it. */
  readonly split?: TokenSplit
}

/** The estimate is what a context weighs already; for any other count its rows are read. */
async function sideOf(
  composed: Composed,
  threadId: string,
  counter: TokenCounter,
): Promise<Measured> {
  if (counter.id === 'estimate')
    return { tokens: weightOf(await composed.threads.context(threadId)) }
  const { context, eventAt } = await loadThread(composed, threadId)
  const split = countContext(context, eventAt, counter)
  return { tokens: split.total, split }
}

/** A counter that disagrees with the estimate is met by aiming lower, so often at most. */
const TRIES = 4
const MARGIN = 0.97

/** Strategies aim in estimated tokens. What asks a model is asked once: each time costs. */
async function prepareWithin(
  { composed, threadId }: Session,
  plan: CompactionPlan,
  before: Measured,
  target: number | undefined,
  warn: (problem: string) => void,
): Promise<PreparedCompaction> {
  const { counter, strategyId } = plan
  const { threads } = composed
  const prepare = (targetTokens?: number) =>
    threads.prepare(threadId, strategyId, {
      ...optionsOf(composed, plan, warn),
      ...(targetTokens !== undefined && { targetTokens }),
    })
  if (target === undefined) return prepare()
  const isOwnCount = counter.id === 'estimate'
  const estimated = weightOf(await threads.context(threadId))
  let aim = Math.max(1, Math.floor((target * estimated) / Math.max(1, before.tokens)))
  for (let tried = 1; ; tried += 1) {
    const prepared = await prepare(aim)
    const { proposal } = prepared
    if (isOwnCount || tried === TRIES || proposal.usage || proposal.fresh) return prepared
    const trial = await threads.fork(threadId)
    await commit(composed, trial, prepared)
    const { context, eventAt } = await loadThread(composed, trial)
    const tokens = countContext(context, eventAt, counter).total
    await threads.delete(trial)
    if (tokens <= target) return prepared
    aim = Math.max(1, Math.floor(aim * (target / tokens) * MARGIN))
  }
}

function pinningOf({ settings: { pinning } }: CompactionPlan) {
  return { detect: pinning.detect, ...(pinning.patterns && { patterns: pinning.patterns }) }
}

function optionsOf(
  { model, asked }: Composed,
  plan: CompactionPlan,
  warn: (problem: string) => void,
): CompactionOptions {
  const { settings, shown, wishes, progress } = plan
  const { models, summaries, gate } = settings
  return {
    trigger: 'command',
    minTokens: gate.minTokens,
    settings: shown,
    pinning: pinningOf(plan),
    ...(wishes.instructions !== undefined && { instructions: wishes.instructions }),
    ...(models.default !== undefined && { provider: model, model: models.default }),
    ...(models.fast !== undefined && { fastModel: models.fast }),
    ...(summaries.form && { form: summaries.form }),
    onProgress: ({ message, done, total }) =>
      progress.share(`${message} ${asked().map(({ ref }) => ref)}`, done, total),
    onWarning: warn,
  }
}

interface Result {
  readonly threadId: string
  readonly report?: CompactionReport
}

export async function commit(
  { threads }: Composed,
  threadId: string,
  prepared: PreparedCompaction,
): Promise<Result> {
  const outcome = await threads.apply(threadId, prepared)
  if (outcome.committed) return { threadId, report: outcome.report }
  const { reason, message } = outcome.refusal
  throw new PrecisError('gate-refused', `the compaction was refused: ${message}`, {
    where: prepared.strategyId,
    hint: 'Nothing was changed. Try another strategy: precis inspect shows what each would save.',
    details: { reason },
  })
}

function tooLarge(
  reached: Loaded,
  budget: number,
  { tokens: floor }: Measured,
  { strategyId, counter }: CompactionPlan,
): PrecisError {
  const { details } = irreducible(reached, { floor, budget })
  const biggest = details.biggest as readonly BigPart[]
  const list = biggest.map(({ what, tokens }) => `${what} (${thousands(tokens)})`)
  return new PrecisError(
    'irreducible',
    `${strategyId} cannot get below ${thousands(floor)} tokens, and the budget is ${thousands(budget)}`,
    {
      hint: `Nothing was written. Raise the budget to ${floor}, or try another strategy. The biggest parts: ${list.join('; ')}.`,
      details: { ...details, counter: counter.id },
    },
  )
}
