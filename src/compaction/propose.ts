// The first half of the road: a strategy proposes. It changes nothing.
import {
  type DetectedPin,
  FOUND_PINS_TOKENS,
  findPins,
  type PinningPolicy,
} from '../core/edit/detected-pins.ts'
import { type Pins, pinsReducer, releasedPinsReducer } from '../core/edit/pins.ts'
import {
  type Proposal,
  STRATEGIES_WITH_MODEL,
  type Strategy,
  unknownStrategy,
} from '../core/edit/strategy.ts'
import { PrecisError } from '../core/errors.ts'
import type { EventAt, PinData } from '../core/log/event.ts'
import type { ModelPort } from '../core/ports.ts'
import type { TokenUsage } from '../core/view/content.ts'
import { reducedBy } from '../core/view/thread-state.ts'
import { sumUsage, usageIn, withBill } from '../core/window/usage.ts'
import { applyCompaction, judgeProposal } from './commit.ts'
import type { Moving, Proposals } from './compact-thread.ts'
import {
  type Committed,
  type CompactionPlan,
  type EditableThread,
  type OpenThread,
  type ProposalRecord,
  type Refused,
  requireProposal,
} from './plan.ts'
import type { Tab } from './run-tab.ts'

/** Rungs of a cascade may ask a model, and nothing but their requests says what they spent. */
const METERED: ReadonlySet<string> = new Set([...STRATEGIES_WITH_MODEL, 'cascade'])

type NewPin = Omit<PinData, 'pinId'>

/** Asks the strategy. What is appended meanwhile is not covered by the proposal. */
async function proposeCompaction(
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
    // A strategy of the caller gets the caller's own provider (LOG-39), and says itself what it spent.
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

/** The thread as the strategy sees it, with the pins that the proposal adds. */
function readThread(
  thread: EditableThread,
  runId: string,
  { pins: asked = [], pinning, targetTokens }: Partial<CompactionPlan>,
) {
  return thread.exclusively(async () => {
    await thread.refresh()
    await thread.loadContext()
    // The strategy works on what it saw; rows loaded or dropped meanwhile do not concern it.
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

/** What a strategy paid for by itself is on the bill as well. */
function aborted({ usage }: Proposal): PrecisError {
  return new PrecisError('aborted', 'The compaction was aborted; nothing was changed.', {
    details: { ...(usage && { usage }) },
  })
}

/** What is found takes a third of the target at most. */
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

/** What of a pin does not stand yet: nothing, where its text does and its entries do. */
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

// Counts what a strategy spends on a model, request by request, whatever becomes of the strategy.

/** Without a tab it bills what is spent here, and notes nothing. */
export class Meter {
  readonly #tab: Tab | undefined
  #spent: TokenUsage | undefined

  constructor(tab?: Tab) {
    this.#tab = tab
  }

  /** Runs the strategy on the same model, and says what that cost: in the result, or in the error. */
  async run<Made extends { readonly usage?: TokenUsage }>(
    port: ModelPort | undefined,
    strategy: (port: ModelPort | undefined) => Promise<Made>,
  ): Promise<Made> {
    const left = this.#tab?.take()
    try {
      const made = await strategy(port && this.#counted(port))
      const usage = await this.#billed(left, made.usage)
      return usage ? { ...made, usage } : made
    } catch (thrown) {
      const usage = await this.#billed(left, usageIn(thrown))
      throw usage ? withBill(thrown, usage) : thrown
    }
  }

  #counted(port: ModelPort): ModelPort {
    const { converse, limitsOf } = port
    return {
      ask: (request) => this.#count(port.ask(request)),
      ...(limitsOf && { limitsOf: limitsOf.bind(port) }),
      ...(converse && { converse: (request) => this.#count(converse.call(port, request)) }),
    }
  }

  /** `told` counts where the strategy has not asked the model that it was given. */
  async #billed(
    left: TokenUsage | undefined,
    told: TokenUsage | undefined,
  ): Promise<TokenUsage | undefined> {
    if (!this.#spent) await this.#add(told)
    return this.#spent ? sumUsage(left, this.#spent) : left
  }

  async #count<Answer extends { readonly usage?: TokenUsage }>(
    asked: Promise<Answer>,
  ): Promise<Answer> {
    const answer = await asked.catch(async (thrown: unknown) => {
      await this.#add(usageIn(thrown))
      throw thrown
    })
    await this.#add(answer.usage)
    return answer
  }

  async #add(usage: TokenUsage | undefined): Promise<void> {
    if (!usage) return
    this.#spent = sumUsage(this.#spent, usage)
    await this.#tab?.add(usage)
  }
}

// The road over threads that are open here: strategies by their ids, proposals made, judged and applied.

export interface ProposalPorts {
  get(threadId: string): Promise<EditableThread>
  readonly open: OpenThread
  newId(prefix: string): string
}

export interface ThreadProposals extends Proposals {
  /** Proposes and applies. A strategy is given by id where it is registered. */
  compact(
    threadId: string,
    strategy: string | Strategy,
    options?: Partial<CompactionPlan>,
  ): Promise<Committed | Refused>
  register(strategy: Strategy): void
  strategyIds(): string[]
}

export function proposalsOf(ports: ProposalPorts, strategies: Iterable<Strategy>): ThreadProposals {
  const known = new Map<string, Strategy>()
  for (const strategy of strategies) known.set(strategy.id, strategy)
  const find = (strategy: string | Strategy): Strategy => {
    const found = typeof strategy === 'string' ? known.get(strategy) : strategy
    if (found) return found
    throw unknownStrategy(String(strategy), [...known.keys()])
  }
  const prepare: Proposals['prepare'] = async (threadId, strategy, options, tab) => {
    const found = find(strategy)
    return proposeCompaction(await ports.get(threadId), found, ports.newId('run'), options, tab)
  }
  const apply = async (threadId: string, record: ProposalRecord, more: Moving = {}) =>
    applyCompaction(await ports.get(threadId), record, { ...ports, ...more })
  return {
    prepare,
    apply,
    judge: async (threadId, record) => judgeProposal(await ports.get(threadId), record),
    compact: async (threadId, strategy, options) =>
      apply(threadId, await prepare(threadId, strategy, options)),
    register: (strategy) => void known.set(strategy.id, strategy),
    strategyIds: () => [...known.keys()],
  }
}
