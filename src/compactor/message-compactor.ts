// A compactor: keeps a loop's messages inside the window, and the prefix of its requests stable.
import type { Reading } from '../core/edit/change.ts'
import type { CompactionReport } from '../core/edit/report.ts'
import { redo, undo } from '../core/edit/reverse.ts'
import { asPrecisError, PrecisError } from '../core/errors.ts'
import type { Signal } from '../core/model.ts'
import * as option from '../core/options.ts'
import { runSteps } from '../core/steps.ts'
import { calibrationOf, weightOf } from '../core/view/context.ts'
import { readContext } from '../core/window/reading.ts'
import { chooseDialect } from '../messages/detect.ts'
import { Branch } from './branch.ts'
import { BranchKeeper, MOST_BRANCHES } from './branch-keeper.ts'
import { createPins, findLosses, requireMessages } from './compact-messages.ts'
import type { Compactor, CompactorEvents, CompactorOptions, Fitted } from './compactor-interface.ts'
import { computeMessageKey } from './message-key.ts'
import { type RecallOptions, recallFrom } from './recall.ts'
import { type Kit, runCompaction } from './run-compaction.ts'
import { readUsage, type UsageLike, usageProblem } from './usage-like.ts'

/** After a failed reduction, retry when the context has grown by this share. */
const STUCK_GROWTH = 1.05

const FIT_CHECKS = {
  usage: option.optional(usageProblem),
  signal: option.optional(option.signal),
}
const ON_CHECKS = {
  event: option.oneOf('compaction', 'failed', 'forked'),
  listener: option.callback,
}

export type Choices = CompactorOptions & Required<Pick<CompactorOptions, 'at' | 'target'>>

export class MessageFitter<M extends object> implements Compactor<M> {
  readonly #options: Choices
  readonly #kit: Kit
  readonly #keeper: BranchKeeper | undefined
  readonly #branches: Branch[] = [] // latest last
  readonly #texts = new Map<string, string>() // pinned, by pin id
  readonly #listeners = new Map<string, Set<(value: never) => void>>()
  #queue: Promise<unknown> = Promise.resolve()
  #pins = 0

  constructor(options: Choices, kit: Kit) {
    this.#options = options
    this.#kit = kit
    const { store, threadId } = options
    if (store && threadId !== undefined) this.#keeper = new BranchKeeper(store, threadId)
    for (const text of new Set(options.pins)) this.#texts.set(this.#newPinId(), text)
  }

  fit<T extends M>(
    messages: readonly T[],
    usage?: UsageLike | null,
    signal?: Signal,
  ): Promise<Fitted<T>> {
    return this.#next(async () => {
      await this.#open()
      const fitted = await this.#fit(messages, usage, signal)
      await this.#save()
      return fitted
    })
  }

  #next<T>(run: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(run)
    this.#queue = done.catch(() => undefined)
    return done
  }

  ready(): Promise<void> {
    return this.#next(async () => {
      await this.#open()
      await this.#save()
    })
  }

  async #open(): Promise<void> {
    const kept = await this.#keeper?.open()
    if (!kept || this.#branches.length > 0) return
    this.#branches.push(...kept.branches)
    const { texts = [], pinCount = 0 } = kept.pinState ?? {}
    this.#pins = Math.max(this.#pins, pinCount)
    const standing = new Set(this.#texts.values())
    for (const [pinId, text] of texts.filter(([, text]) => !standing.has(text)))
      this.#texts.set(this.#texts.has(pinId) ? this.#newPinId() : pinId, text)
  }

  #save(): Promise<void> | undefined {
    return this.#keeper?.save(this.#branches, { texts: [...this.#texts], pinCount: this.#pins })
  }

  /** If the store fails now, the next call retries and reports it. */
  #saveSoon(): void {
    if (this.#keeper) void this.ready().catch(() => undefined)
  }

  async #fit<T extends M>(
    messages: readonly T[],
    usage: UsageLike | null | undefined,
    signal: Signal | undefined,
  ): Promise<Fitted<T>> {
    requireMessages('fit', messages)
    option.checkOptions('fit', { usage: usage ?? undefined, signal }, FIT_CHECKS)
    const branch = this.#branchFor(messages, usage)
    const report = await this.#shrink(branch, signal)
    const written = branch.write(this.#options.refs ?? false) as readonly unknown[] as T[]
    const isSame =
      written.length === messages.length &&
      written.every((message, index) => message === messages[index])
    return {
      messages: isSame ? (messages as T[]) : written,
      changed: !isSame,
      ...(report && { report }),
      losses: isSame ? [] : findLosses(branch.log, (number) => branch.indexOf(number)),
      reading: readContext(branch.log.context),
    }
  }

  #branchFor(messages: readonly M[], usage: UsageLike | null | undefined): Branch {
    const keys = messages.map(computeMessageKey)
    const found = this.#bestMatch(keys)
    let branch = found?.branch
    let count = found?.count ?? 0
    if (found && !found.isWhole) {
      branch = found.branch.fork(count)
      count = branch?.match(keys).count ?? 0
      if (branch) this.#emit('forked', { message: found.count })
    }
    branch ??= Branch.of(chooseDialect(messages, this.#options.format))
    if (found?.branch.hasAnswerWithin(found.count)) branch.root = found.branch.root
    const news = branch.take(messages, keys, count)
    if (news.length > 0) branch.log.add(news, readUsage(usage))
    this.#latest(branch)
    return branch
  }

  #bestMatch(keys: readonly string[]) {
    const matches = this.#branches
      .map((branch) => ({ branch, ...branch.match(keys) }))
      .filter(({ count }) => count > 0)
    const whole = matches.filter(({ isWhole }) => isWhole)
    const best = (whole.length > 0 ? whole : matches).toSorted((a, b) => b.count - a.count)
    return best[0]
  }

  #latest(branch: Branch): void {
    const index = this.#branches.indexOf(branch)
    if (index >= 0) this.#branches.splice(index, 1)
    this.#branches.push(branch)
    if (this.#branches.length > MOST_BRANCHES) this.#branches.shift()
  }

  async #shrink(branch: Branch, signal?: Signal): Promise<CompactionReport | undefined> {
    const { windowTokens, at, target, strategy, model, instructions } = this.#options
    const { log } = branch
    const tokens = readContext(log.context).tokens ?? 0
    const limit = branch.isHeld ? windowTokens : windowTokens * at
    if (tokens <= limit || tokens < branch.stuckTokens * STUCK_GROWTH) return undefined
    this.#syncPins(branch)
    // A provider counts more than the messages, and differently from an estimate; its count tells the ratio.
    const { ratio, overheadTokens = 0 } = calibrationOf(log.context)
    const weight = weightOf(log.context)
    const room = (windowTokens * target - overheadTokens) / ratio
    // If tools and system prompt alone exceed the target, aim at half of the messages.
    const budget = Math.floor(room > 0 ? Math.min(room, weight - 1) : weight / 2)
    const choices = { budget, strategy, model, instructions, signal, windowTokens }
    let report: CompactionReport
    try {
      report = await runSteps(runCompaction(log, choices, 'auto', this.#kit))
    } catch (thrown) {
      const error = asPrecisError(thrown)
      this.#emit('failed', error)
      if (error.code === 'aborted' || tokens > windowTokens) throw error
      branch.stuckTokens = tokens
      return undefined
    }
    branch.isHeld = false
    branch.stuckTokens = 0
    this.#emit('compaction', report)
    return report
  }

  #syncPins({ log }: Branch): void {
    const kept = log.pins.filter(({ text }) => text === undefined)
    const texts = [...this.#texts].map(([pinId, text]) => ({ pinId, text, by: 'user' }) as const)
    log.pins.splice(0, log.pins.length, ...kept, ...texts)
  }

  pin(pin: string | M): string {
    option.checkOptions('pin', { pin }, { pin: option.textOrObject })
    this.#requireOne()
    const same = [...this.#texts].find(([, text]) => text === pin)
    if (same) return same[0]
    const pinId = this.#newPinId()
    if (typeof pin === 'string') this.#texts.set(pinId, pin)
    else {
      const { log } = this.#current()
      log.pins.push(...createPins([pin], log).map((data) => ({ ...data, pinId })))
    }
    this.#saveSoon()
    return pinId
  }

  unpin(pinId: string): void {
    this.#texts.delete(pinId)
    for (const { log } of this.#branches) {
      const index = log.pins.findIndex((pin) => pin.pinId === pinId)
      if (index >= 0) log.pins.splice(index, 1)
    }
    this.#saveSoon()
  }

  #newPinId(): string {
    this.#pins += 1
    return `pin_${this.#pins}`
  }

  undo(): M[] {
    const branch = this.#current()
    branch.log.append(undo(branch.log.context, branch.log.eventAt))
    branch.isHeld = true
    return this.#written(branch)
  }

  redo(): M[] {
    const branch = this.#current()
    branch.log.append(redo(branch.log.context, branch.log.eventAt))
    branch.isHeld = false
    return this.#written(branch)
  }

  #written(branch: Branch): M[] {
    this.#saveSoon()
    return branch.write(this.#options.refs ?? false) as readonly unknown[] as M[]
  }

  recall(refOrWords: string, options?: RecallOptions): string {
    return recallFrom(this.#current().log, refOrWords, options)
  }

  reading(): Reading {
    const branch = this.#branches.at(-1)
    return branch ? readContext(branch.log.context) : {}
  }

  /** With several conversations the intended one is unknown, and one must not read another. */
  #requireOne(): void {
    const roots = new Set(this.#branches.map(({ root }) => root))
    if (roots.size <= 1) return
    throw new PrecisError(
      'invalid-input',
      `The compactor has seen ${roots.size} conversations and cannot know which one you mean.`,
      { hint: 'Create one compactor per conversation. `fit` alone can serve several.' },
    )
  }

  #current(): Branch {
    this.#requireOne()
    const branch = this.#branches.at(-1)
    if (branch) return branch
    throw new PrecisError('not-found', 'The compactor has seen no messages yet.', {
      hint: 'Call `fit` first.',
    })
  }

  on<E extends keyof CompactorEvents>(
    event: E,
    listener: (value: CompactorEvents[E]) => void,
  ): () => void {
    option.checkOptions('on', { event, listener }, ON_CHECKS)
    const listeners = this.#listeners.get(event) ?? new Set()
    this.#listeners.set(event, listeners)
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  #emit<E extends keyof CompactorEvents>(event: E, value: CompactorEvents[E]): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])])
      try {
        listener(value as never)
      } catch {
        // A failing listener does not affect the others or `fit`.
      }
  }
}
