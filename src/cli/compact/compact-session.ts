// One compaction of a session in memory: turns the command's options into a plan and runs it.
import { applyKept, compactThread, type Door } from '../../compaction/compact-thread.ts'
import type { Committed, CompactionPlan, ProposalRecord, Refused } from '../../compaction/plan.ts'
import type { Composed } from '../../compose.ts'
import { FOUND_PINS_TOKENS, findPins, type PinningPolicy } from '../../core/edit/detected-pins.ts'
import { type BigPart, irreducible } from '../../core/edit/irreducible.ts'
import { pinsReducer, releasedPinsReducer } from '../../core/edit/pins.ts'
import type { CompactionReport, ReportSettings } from '../../core/edit/report.ts'
import type { TokenSplit } from '../../core/edit/token-split.ts'
import { PrecisError } from '../../core/errors.ts'
import type { Settings } from '../../core/settings/settings.ts'
import { weightOf } from '../../core/view/context.ts'
import { reducedBy } from '../../core/view/thread-state.ts'
import type { TokenCounter } from '../../core/window/tokens/counter.ts'
import { type LoadedSession, loadThread, type Session } from '../session/session.ts'
import { type Budget, budgetTokens } from '../settings/settings.ts'
import { countContext } from '../terminal/counter.ts'
import type { ProgressLine } from '../terminal/progress.ts'
import { thousands } from '../terminal/terminal.ts'
import { inWordsOfCommand, type Wishes, wishedPins } from './plan.ts'

export interface CommandPlan {
  readonly strategyId: string
  readonly counter: TokenCounter
  readonly budget?: Budget
  readonly wishes: Wishes
  readonly settings: Settings
  readonly shown: ReportSettings // settings named in the report
  readonly progress: ProgressLine
  /** A stored proposal to apply unchanged. */
  readonly proposal?: ProposalRecord
}

export interface SessionOutcome {
  /** Thread of the result: the same, or the one a fresh session opened. */
  readonly threadId: string
  readonly record: ProposalRecord
  /** In the counter's tokens. */
  readonly before: TokenSplit
  readonly after: TokenSplit
  readonly budgetTokens?: number
  readonly report: CompactionReport // in estimated tokens
  readonly problems: readonly string[]
}

/** Rejects if the result is unusable: refused by the gate, or not small enough. */
export async function compactSession(
  session: Session,
  command: CommandPlan,
): Promise<SessionOutcome> {
  const { composed, threadId } = session
  const { counter, budget, progress } = command
  const problems: string[] = []
  const before = await measureSide(composed, threadId, counter)
  const target = budget && budgetTokens(budget, before.tokens)
  progress.say(`compacting with ${command.strategyId} …`)
  const plan = await buildPlan(session, command, (text) => problems.push(text))
  const aim = await computeAim(session, before, target)
  let unpinned: readonly string[] = []
  const { committed, record } = await takeRoad(
    session,
    command,
    { ...plan, targetTokens: aim },
    {
      retarget: retargeting(session, counter, target),
      async commit(apply, proposed) {
        unpinned = await unpinnedSentences(composed, threadId, proposed, readPinning(command))
        return apply()
      },
    },
  )
  const { report, fresh } = committed
  const resultId = fresh?.threadId ?? threadId
  const after = await measureSide(composed, resultId, counter)
  if (target !== undefined && after.tokens > target)
    throw tooLarge(await loadThread(composed, resultId), target, after, command)
  problems.push(...(await leftOutRemarks(composed, resultId, unpinned)))
  return {
    threadId: resultId,
    record,
    before: before.split ?? report.before,
    after: after.split ?? report.after,
    ...(target !== undefined && { budgetTokens: target }),
    report,
    problems,
  }
}

interface CommitRecord {
  readonly committed: Committed
  readonly record: ProposalRecord
}

/** Runs the compaction; a proposal of a dry run is applied unchanged. */
async function takeRoad(
  { composed, threadId }: Session,
  { proposal, strategyId }: CommandPlan,
  plan: CompactionPlan,
  door: Required<Pick<Door, 'retarget' | 'commit'>>,
): Promise<CommitRecord> {
  const { threads } = composed
  if (proposal) {
    const outcome = await door.commit(() => applyKept(threads, threadId, proposal), proposal)
    return { committed: requireCommitted(outcome, strategyId), record: proposal }
  }
  const road = await compactThread(threads, threadId, plan, door)
  if (!('error' in road)) return road
  throw road.end === 'refused'
    ? refusedError(road.error, strategyId)
    : inWordsOfCommand(road.error, strategyId)
}

interface Measurement {
  readonly tokens: number
  /** Set if it was recounted; otherwise the report has it. */
  readonly split?: TokenSplit
}

/** Contexts carry the estimate; other counts need the rows. */
async function measureSide(
  composed: Composed,
  threadId: string,
  counter: TokenCounter,
): Promise<Measurement> {
  if (counter.id === 'estimate')
    return { tokens: weightOf(await composed.threads.context(threadId)) }
  const { context, eventAt } = await loadThread(composed, threadId)
  const split = countContext(context, eventAt, counter)
  return { tokens: split.total, split }
}

/** If a counter disagrees with the estimate, aim lower, at most this often. */
const TRIES = 4
const MARGIN = 0.97

/** Strategies aim in estimated tokens. */
async function computeAim(
  { composed, threadId }: Session,
  before: Measurement,
  target: number | undefined,
): Promise<number | undefined> {
  if (target === undefined) return undefined
  const estimated = weightOf(await composed.threads.context(threadId))
  return Math.max(1, Math.floor((target * estimated) / Math.max(1, before.tokens)))
}

/** Strategies that ask a model run once, because each run costs. */
function retargeting(
  { composed, threadId }: Session,
  counter: TokenCounter,
  target: number | undefined,
): NonNullable<Door['retarget']> {
  const { threads } = composed
  let tried = 0
  return async (record) => {
    const { proposal, targetTokens } = record
    tried += 1
    if (target === undefined || targetTokens === undefined) return undefined
    if (counter.id === 'estimate' || tried === TRIES || proposal.usage || proposal.fresh)
      return undefined
    const trial = await threads.fork(threadId)
    try {
      const outcome = await applyKept(threads, trial, record)
      if (!outcome.committed) return undefined
      const { context, eventAt } = await threads.contents(trial)
      const tokens = countContext(context, eventAt, counter).total
      if (tokens <= target) return undefined
      return Math.max(1, Math.floor(targetTokens * (target / tokens) * MARGIN))
    } finally {
      await threads.delete(trial)
    }
  }
}

function readPinning({ settings: { pinning } }: CommandPlan): PinningPolicy {
  return { detect: pinning.detect ?? true, ...(pinning.patterns && { patterns: pinning.patterns }) }
}

async function buildPlan(
  { composed, threadId }: Session,
  command: CommandPlan,
  onWarning: (problem: string) => void,
): Promise<CompactionPlan> {
  const { settings, shown, wishes, progress, strategyId } = command
  const { models, summaries, gate } = settings
  return {
    trigger: 'command',
    strategies: [strategyId],
    minTokens: gate.minTokens,
    settings: shown,
    pins: await wishedPins(composed, threadId, wishes),
    pinning: readPinning(command),
    instructions: wishes.instructions,
    ...(models.default !== undefined && { provider: composed.model, model: models.default }),
    fastModel: models.fast,
    form: summaries.form,
    onProgress: ({ message, done, total }) =>
      progress.share(`${message} ${composed.asked().map(({ ref }) => ref)}`, done, total),
    onWarning,
  }
}

export function requireCommitted(outcome: Committed | Refused, strategyId: string): Committed {
  if (outcome.committed) return outcome
  const { reason, message } = outcome.refusal
  throw refusedError(new PrecisError('gate-refused', message, { details: { reason } }), strategyId)
}

function refusedError({ message, details }: PrecisError, where: string): PrecisError {
  return new PrecisError('gate-refused', `the compaction was refused: ${message}`, {
    where,
    hint: 'Nothing was changed. Try another strategy: precis inspect shows what each would save.',
    details,
  })
}

function tooLarge(
  reached: LoadedSession,
  budget: number,
  { tokens: floor }: Measurement,
  { strategyId, counter }: CommandPlan,
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

/** Above this there is room for as many as are ever kept. */
const ROOMY_TOKENS = 10 * FOUND_PINS_TOKENS
const MOST_SHOWN = 10

/** Their texts; call this before applying the compaction. */
async function unpinnedSentences(
  composed: Composed,
  threadId: string,
  { targetTokens = ROOMY_TOKENS, pins: kept = [] }: ProposalRecord,
  policy: PinningPolicy,
): Promise<string[]> {
  if (targetTokens >= ROOMY_TOKENS) return []
  const { context, eventAt } = await loadThread(composed, threadId)
  const state = await composed.threads.state(threadId)
  const pins = reducedBy(state, pinsReducer)
  const released = reducedBy(state, releasedPinsReducer)
  const texts = new Set(kept.map(({ text }) => text))
  const found = findPins(context, eventAt, { pins, released }, policy)
  return found.flatMap(({ text }) => (texts.has(text) ? [] : [text]))
}

/** A remark on those missing from the result. */
async function leftOutRemarks(
  { threads }: Composed,
  threadId: string,
  sentences: readonly string[],
): Promise<string[]> {
  if (sentences.length === 0) return []
  const result = JSON.stringify((await threads.messages(threadId)).messages)
  const gone = sentences.filter((text) => !result.includes(JSON.stringify(text).slice(1, -1)))
  const more = gone.length - MOST_SHOWN
  return [
    ...gone
      .slice(0, MOST_SHOWN)
      .map(
        (text) =>
          `a sentence that binds did not fit into the budget; to keep it: --pin ${JSON.stringify(text)}`,
      ),
    ...(more > 0 ? [`${more} more sentences that bind did not fit into the budget`] : []),
  ]
}
