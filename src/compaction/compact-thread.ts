// The one road of every compaction: plan → propose → gate → commit → report. Doors decide when, and who is
// informed.
import type { Refusal } from '../core/edit/gate-checks.ts'
import type { ReportFallback } from '../core/edit/report.ts'
import type { Strategy } from '../core/edit/strategy.ts'
import { asPrecisError, PrecisError } from '../core/errors.ts'
import type { EventDraft } from '../core/log/event.ts'
import type { TokenUsage } from '../core/view/content.ts'
import { sumUsage, usageIn, withUsage } from '../core/window/usage.ts'
import type { JudgedProposal } from './commit.ts'
import type { Committed, CompactionPlan, ProposalRecord, Refused } from './plan.ts'
import type { Tab } from './run-tab.ts'

/** The two halves, as threads offer them. */
export interface Proposals {
  /** Only proposes. The proposal can be shown, stored, and applied later, unless its entries change. */
  prepare(
    threadId: string,
    strategy: string | Strategy,
    options?: Partial<CompactionPlan>,
    tab?: Tab,
  ): Promise<ProposalRecord>
  apply(threadId: string, record: ProposalRecord, more?: Moving): Promise<Committed | Refused>
  /** The gate's verdict now, in the context it would apply to. */
  judge(threadId: string, record: ProposalRecord): Promise<JudgedProposal>
}

/** What else moves to a new thread. */
export interface Moving {
  moving?(): Promise<readonly EventDraft[]>
}

/** What a door adds. */
export interface Door extends Moving {
  /** For a door that holds the thread: records spending until it is billed. */
  readonly tab?: Tab | undefined
  /** Runs an attempt; an agent may have to wait for the end of a round. */
  attempt?<T>(run: () => Promise<T>): Promise<T>
  /** Runs the commit when the thread allows it. */
  commit?(
    run: () => Promise<Committed | Refused>,
    record: ProposalRecord,
  ): Promise<Committed | Refused>
  /** Called for each strategy tried; `fallback` names the previous one and its failure. */
  onAttempt?(strategyId: string, fallback: ReportFallback | undefined): void
  /** An attempt failed, or was stopped after spending. */
  onFailure?(failed: FailedAttempt): Promise<void>
  /** A lower target for the same strategy, if its proposal is too large by the door's own count. */
  retarget?(record: ProposalRecord): Promise<number | undefined>
}

export interface FailedAttempt {
  readonly strategyId: string
  readonly error: PrecisError
  readonly usage?: TokenUsage | undefined // its cost, if known
}

interface Failure {
  readonly end: 'refused' | 'aborted' | 'failed'
  readonly error: PrecisError
}

type Attempt = { readonly committed: Committed; readonly record: ProposalRecord } | Failure

/** The end: a commit with its proposal, or the most informative error. */
export type RoadEnd = Attempt & {
  readonly strategyId: string // the last one tried
  readonly spent?: TokenUsage | undefined // total cost of all attempts
}

/** Tries the plan's strategies in order until one is committed. Never rejects. */
export async function compactThread(
  proposals: Proposals,
  threadId: string,
  plan: CompactionPlan,
  door: Door = {},
): Promise<RoadEnd> {
  const road = new Road(proposals, threadId, plan, door)
  const ended = await road.tryAll()
  return { strategyId: road.strategyId, spent: road.spent, ...ended }
}

/** The first half: the proposal, and the gate's verdict. Changes nothing. */
export async function proposeOnly(
  proposals: Pick<Proposals, 'prepare' | 'judge'>,
  threadId: string,
  strategy: string | Strategy,
  options: Partial<CompactionPlan>,
): Promise<{ readonly record: ProposalRecord; readonly judged: JudgedProposal }> {
  const record = await proposals.prepare(threadId, strategy, options)
  return { record, judged: await proposals.judge(threadId, record) }
}

/** The second half, for a stored proposal. */
export function applyKept(
  proposals: Pick<Proposals, 'apply'>,
  threadId: string,
  record: ProposalRecord,
): Promise<Committed | Refused> {
  return proposals.apply(threadId, record)
}

class Road {
  strategyId = ''
  spent: TokenUsage | undefined // of all attempts
  readonly #proposals: Proposals
  readonly #threadId: string
  readonly #plan: CompactionPlan
  readonly #door: Door
  #nearest: ProposalRecord | undefined // closest to the target

  constructor(proposals: Proposals, threadId: string, plan: CompactionPlan, door: Door) {
    this.#proposals = proposals
    this.#threadId = threadId
    this.#plan = plan
    this.#door = door
  }

  async tryAll(): Promise<Attempt> {
    const { strategies } = this.#plan
    let last: Attempt = failed(new PrecisError('internal', 'No strategy is configured.'))
    // A near miss is more informative than an attempt with nothing to do, and suggests a lower target next
    // time.
    let nearest: Attempt | undefined
    let escalates = false
    for (const strategy of strategies) {
      last = await this.#next(strategy, last)
      // After an abort, try no other strategy.
      if ('committed' in last || last.end === 'aborted') return last
      // An unknown id is an error: falling back would hide the typo.
      if (last.error.code === 'unknown-strategy') return last
      if (last.end === 'refused' && last.error.details.reason === 'above-target') nearest = last
      escalates ||= this.#isWorthAnother(last)
    }
    const settled = await this.#settleForLess()
    if (settled) return settled
    const ended = nearest ?? last
    return escalates ? this.#escalate(last, ended) : ended
  }

  async #next(
    strategy: string | Strategy,
    last: Attempt,
    targetTokens = this.#plan.targetTokens,
  ): Promise<Attempt> {
    const fallback =
      'error' in last && this.strategyId !== ''
        ? { from: this.strategyId, reason: last.error.message }
        : this.#plan.fallback
    this.strategyId = readId(strategy)
    this.#door.onAttempt?.(this.strategyId, fallback)
    return this.#inTime(() => this.#try(strategy, fallback, targetTokens))
  }

  /**
   * A proposal that is too large may succeed with another strategy. After a failed summary the context stays
   * unchanged (C21) and the model is asked again next time, unless no request can hold the context.
   */
  #isWorthAnother({ error: { details } }: Failure): boolean {
    if (details.reason === 'stale') return false
    const { trigger, isOverfull = trigger === 'overflow' } = this.#plan
    return isOverfull || SIZE_REASONS.has(details.reason)
  }

  /**
   * One more step down the ladder, to the target or to an acceptable size. What it cannot remove becomes the
   * reason.
   */
  async #escalate(last: Attempt, ended: Attempt): Promise<Attempt> {
    const { strategies, lastResort, targetTokens, acceptableTokens } = this.#plan
    if (lastResort === undefined || acceptableTokens === undefined) return ended
    const { strategyId } = this
    const isTried = strategies.some((each) => readId(each) === readId(lastResort))
    const target = isTried || targetTokens === undefined ? [] : [targetTokens]
    for (const tokens of [...target, acceptableTokens]) {
      this.strategyId = strategyId
      const attempt = await this.#next(lastResort, last, tokens)
      if ('committed' in attempt) return attempt
      if (attempt.error.code === 'unknown-strategy') break
      if (tokens === acceptableTokens || !isForItsSize(attempt)) return attempt
    }
    this.strategyId = strategyId
    return ended
  }

  #inTime(run: () => Promise<Attempt>): Promise<Attempt> {
    return this.#door.attempt ? this.#door.attempt(run) : run()
  }

  async #try(
    strategy: string | Strategy,
    fallback: ReportFallback | undefined,
    targetTokens: number | undefined,
  ): Promise<Attempt> {
    let usage: TokenUsage | undefined
    let failure: Failure
    try {
      const record = await this.#propose(strategy, fallback, targetTokens)
      usage = record.proposal.usage
      if (usage) this.spent = sumUsage(this.spent, usage)
      const outcome = await this.#commit(record)
      if (outcome.committed) return { committed: outcome, record }
      if (outcome.refusal.reason === 'above-target') this.#nearest ??= record
      failure = refusedBy(outcome.refusal)
    } catch (thrown) {
      failure = this.#failure(thrown)
    }
    await this.#note(failure, usage)
    return failure
  }

  async #propose(
    strategy: string | Strategy,
    fallback: ReportFallback | undefined,
    wantedTokens: number | undefined,
  ): Promise<ProposalRecord> {
    let spent: TokenUsage | undefined
    for (let targetTokens = wantedTokens; ; ) {
      const asked = { ...this.#plan, targetTokens, fallback }
      const record = await this.#proposals
        .prepare(this.#threadId, strategy, asked, this.#door.tab)
        .catch((thrown: unknown) => {
          throw spent ? withUsage(thrown, spent) : thrown
        })
      const { usage } = record.proposal
      if (usage) spent = sumUsage(spent, usage)
      const lower = await this.#door.retarget?.(record)
      if (lower === undefined)
        return spent ? { ...record, proposal: { ...record.proposal, usage: spent } } : record
      targetTokens = lower
    }
  }

  #commit(record: ProposalRecord): Promise<Committed | Refused> {
    const { moving, commit } = this.#door
    const apply = () =>
      this.#proposals.apply(this.#threadId, record, moving ? { moving } : undefined)
    return commit ? commit(apply, record) : apply()
  }

  /** The cost comes from the proposal or the error. */
  async #note({ end, error }: Failure, paid: TokenUsage | undefined): Promise<void> {
    const said = usageIn(error)
    // An abort is not a failure, but its cost is billed.
    if (end === 'aborted' && !said) return
    if (said && !paid) this.spent = sumUsage(this.spent, said)
    await this.#door.onFailure?.({ strategyId: this.strategyId, error, usage: paid ?? said })
  }

  /** Accepts a proposal that was only too large, without asking again. */
  async #settleForLess(): Promise<Attempt | undefined> {
    const { acceptableTokens } = this.#plan
    if (!this.#nearest || acceptableTokens === undefined) return undefined
    const record = { ...this.#nearest, targetTokens: acceptableTokens }
    try {
      const outcome = await this.#commit(record)
      if (!outcome.committed) return undefined
      this.strategyId = record.strategyId
      return { committed: outcome, record }
    } catch (thrown) {
      return this.#failure(thrown)
    }
  }

  #failure(thrown: unknown): Failure {
    return failed(thrown, this.#plan.signal?.aborted)
  }
}

export function failed(thrown: unknown, isAborted = false): Failure {
  const error =
    thrown instanceof Error
      ? asPrecisError(thrown)
      : new PrecisError('internal', 'Compaction failed')
  return { end: isAborted || error.code === 'aborted' ? 'aborted' : 'failed', error }
}

const SIZE_REASONS: ReadonlySet<unknown> = new Set(['above-target', 'not-smaller'])

/** A larger one may be acceptable. */
function isForItsSize({ error }: Failure): boolean {
  return error.code === 'irreducible' || error.details.reason === 'above-target'
}

const ANOTHER = 'Try again, choose another model, or type /strategy extract and then /compact.'

function refusedBy({ reason, message }: Refusal): Failure {
  const hint = reason.startsWith('summary-') ? { hint: ANOTHER } : {}
  const error = new PrecisError('gate-refused', message, { ...hint, details: { reason } })
  return { end: 'refused', error }
}

export function readId(strategy: string | Strategy): string {
  return typeof strategy === 'string' ? strategy : strategy.id
}
