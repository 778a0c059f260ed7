// Hooks: callbacks before and after a compaction. None of them can break one.
import type { RunInfo, RunResult } from '../core/agent/frame.ts'
import type { EntryId, NewId } from '../core/edit/change.ts'
import type { Proposal, Strategy, StrategyInput } from '../core/edit/strategy.ts'
import { PrecisError } from '../core/errors.ts'
import type { EventOf } from '../core/log/event.ts'
import type { Signal } from '../core/model.ts'
import type { Clock } from '../core/ports.ts'
import { collectPuts, isEntryId, isNew, isNewEntry, newId } from '../core/view/entry.ts'

/** A run as hooks see it. */
export interface HookedRun extends RunInfo {
  readonly threadId: string
  readonly instructions?: string
}

/** A veto ends the run and keeps the context. The rest is done before or during the run. */
export type BeforeReply =
  | { readonly veto: string }
  | {
      /** Replaces the strategies' proposal; the gate checks it like any other. */
      readonly proposal?: Proposal | ((input: StrategyInput) => Proposal | Promise<Proposal>)
      readonly instructions?: string
      readonly pins?: readonly string[] // texts
      readonly entries?: readonly EntryId[] // entries to pin unchanged
    }

/** Text after a compaction: for people, and as a reminder for the model. */
export interface AfterReply {
  readonly notice?: string
  readonly reminder?: string
}

/** Entries a compaction removed; `ref` reads them again. */
export interface Dropped {
  readonly ref: NewId
  readonly entries: number
  readonly label?: string // of the replacement; absent for a gap
}

/** The signal fires on timeout and on abort. */
export interface CompactionHooks {
  readonly name?: string // for notices, and behind `hook:` as the id of the strategy
  before?(run: HookedRun, signal: Signal): Reply<BeforeReply>
  /** After every run `before` was called for, including failed ones. A text is shown to people. */
  after?(result: RunResult, run: HookedRun, signal: Signal): Reply<string | AfterReply>
  onDrop?(dropped: readonly Dropped[], run: HookedRun, signal: Signal): Reply<never>
}

// biome-ignore lint/suspicious/noConfusingVoidType: a hook that only listens returns nothing
type Reply<T> = T | undefined | void | Promise<T | undefined | void>

export interface HookOptions {
  readonly clock: Clock
  readonly signal: Signal
  /** Timeout of each call; proposals have a longer one. */
  readonly timeoutMs?: number
}

/** The combined wishes of all hooks. */
export interface HookWishes {
  readonly veto?: string
  readonly strategy?: Strategy
  readonly instructions: readonly string[]
  readonly pins: readonly string[]
  readonly entries: readonly EntryId[]
  /** Hooks that threw, timed out or returned invalid values, and were ignored. */
  readonly notices: readonly string[]
}

const TIMEOUT_MS = 10_000
/** A proposal may need a model. */
const PROPOSAL_TIMEOUT_MS = 120_000

/**
 * Asks all hooks in order, up to a veto; the first proposal counts. Rejects only with `aborted`, when the
 * signal has fired.
 */
export async function runBeforeHooks(
  hooks: readonly CompactionHooks[],
  run: HookedRun,
  options: HookOptions,
): Promise<HookWishes> {
  const wishes = {
    instructions: [] as string[],
    pins: [] as string[],
    entries: [] as EntryId[],
    notices: [] as string[],
  }
  let strategy: Strategy | undefined
  for (const [at, hook] of hooks.entries()) {
    const before = hook.before?.bind(hook)
    if (!before) continue
    const name = hook.name ?? String(at + 1)
    try {
      const asked = await withinTime((signal) => before(run, signal), options)
      const reply = checkedReply(asked)
      if (reply === undefined) continue
      if ('veto' in reply) return { ...wishes, veto: reply.veto }
      const { proposal, instructions = '', pins = [], entries = [] } = reply
      if (instructions.trim() !== '') wishes.instructions.push(instructions)
      wishes.pins.push(...pins.filter((pin) => pin.trim() !== ''))
      wishes.entries.push(...entries)
      if (proposal && strategy)
        wishes.notices.push(`The proposal of hook ${name} was left out: ${strategy.id} was first.`)
      else if (proposal) strategy = chooseStrategy(name, proposal, options)
    } catch (thrown) {
      if (options.signal.aborted) throw aborted()
      wishes.notices.push(`Hook ${name} was left out: ${readMessage(thrown)}`)
    }
  }
  return { ...wishes, ...(strategy && { strategy }) }
}

/** Calls all hooks in order. Never rejects; returns the texts for people and for the model. */
export async function runAfterHooks(
  hooks: readonly CompactionHooks[],
  run: HookedRun,
  result: RunResult,
  options: HookOptions,
): Promise<{ readonly notices: string[]; readonly reminders: string[] }> {
  const notices: string[] = []
  const reminders: string[] = []
  const dropped = result.success && result.event ? droppedBy(result.event) : []
  const tell = async (name: string, work: (signal: Signal) => unknown): Promise<void> => {
    try {
      const said = await withinTime(work, options, { evenIfAborted: true })
      const { notice, reminder } = checkedWords(said)
      if (notice.trim() !== '') notices.push(notice)
      if (reminder.trim() !== '') reminders.push(reminder)
    } catch (thrown) {
      notices.push(`Hook ${name} failed after the compaction: ${readMessage(thrown)}`)
    }
  }
  for (const [at, hook] of hooks.entries()) {
    const name = hook.name ?? String(at + 1)
    const onDrop = hook.onDrop?.bind(hook)
    const after = hook.after?.bind(hook)
    if (onDrop && dropped.length > 0)
      await tell(name, async (signal) => void (await onDrop(dropped, run, signal)))
    if (after) await tell(name, (signal) => after(result, run, signal))
  }
  return { notices, reminders }
}

function checkedWords(said: unknown): Required<AfterReply> {
  if (typeof said === 'string') return { notice: said, reminder: '' }
  if (said === undefined || said === null) return { notice: '', reminder: '' }
  const { notice = '', reminder = '' } = Object(said) as Readonly<Record<string, unknown>>
  if (typeof notice !== 'string' || typeof reminder !== 'string')
    throw new TypeError('its notice or reminder is not a text.')
  return { notice, reminder }
}

/** Hooks take the run's time, so they have a timeout; hanging ones are abandoned. */
async function withinTime<T>(
  work: (signal: Signal) => T | Promise<T>,
  { clock, signal, timeoutMs = TIMEOUT_MS }: HookOptions,
  { evenIfAborted = false } = {},
): Promise<T> {
  const over = new AbortController()
  const end = () => over.abort()
  const heeded = evenIfAborted && signal.aborted ? undefined : signal
  if (heeded?.aborted) throw aborted()
  heeded?.addEventListener('abort', end)
  const limit = clock.sleep(timeoutMs, over.signal).then(() => {
    throw heeded?.aborted ? aborted() : tooSlow(timeoutMs)
  })
  try {
    // An async function, so a synchronous throw also rejects.
    return await Promise.race([(async () => work(over.signal))(), limit])
  } finally {
    heeded?.removeEventListener('abort', end)
    end()
  }
}

/** A lazily computed proposal must finish in time, too. */
function chooseStrategy(
  name: string,
  proposal: NonNullable<Exclude<BeforeReply, { veto: string }>['proposal']>,
  options: HookOptions,
): Strategy {
  const propose = typeof proposal === 'function' ? proposal : () => proposal
  return {
    id: `hook:${name}`,
    propose: (input) =>
      withinTime(() => propose(input), { ...options, timeoutMs: PROPOSAL_TIMEOUT_MS }),
  }
}

/** Hooks may be untyped JavaScript. */
function checkedReply(reply: unknown): BeforeReply | undefined {
  if (reply === undefined || reply === null) return undefined
  if (typeof reply !== 'object') throw new TypeError('its answer is not an object.')
  const { veto, proposal, instructions, pins, entries } = reply as Readonly<Record<string, unknown>>
  if (veto !== undefined) return { veto: String(veto).trim() || 'no reason was given' }
  if (instructions !== undefined && typeof instructions !== 'string')
    throw new TypeError('its instructions are not a text.')
  if (pins !== undefined && !(Array.isArray(pins) && pins.every((pin) => typeof pin === 'string')))
    throw new TypeError('its pins are not a list of texts.')
  if (entries !== undefined && !(Array.isArray(entries) && entries.every((id) => isEntryId(id))))
    throw new TypeError('its entries are not a list of entry ids.')
  const isProposal =
    typeof proposal === 'function' ||
    (typeof proposal === 'object' &&
      proposal !== null &&
      'edits' in proposal &&
      Array.isArray(proposal.edits))
  if (proposal !== undefined && !isProposal) throw new TypeError('its proposal has no edits.')
  return reply as BeforeReply
}

/** The first new entry or gap of an edit stands for everything the edit removes. */
function droppedBy({ seq, data }: EventOf<'COMPACTION'>): Dropped[] {
  const dropped: Dropped[] = []
  let index = 0
  for (const edit of data.edits) {
    const made = collectPuts(edit).filter(isNew)
    const kept = edit.put.flatMap((put) => ('keep' in put ? [put.keep] : []))
    const entries = readCount(edit.covers) - readCount(kept)
    const [first] = made
    if (first && entries > 0) {
      const label = isNewEntry(first) ? { label: first.label } : {}
      dropped.push({ ref: newId(seq, index), entries, ...label })
    }
    index += made.length
  }
  return dropped
}

function readCount(runs: readonly (string | readonly [string, string, number])[]): number {
  return runs.reduce((sum, run) => sum + (typeof run === 'string' ? 1 : run[2]), 0)
}

function aborted(): PrecisError {
  return new PrecisError('aborted', 'The compaction was aborted.')
}

function tooSlow(timeoutMs: number): PrecisError {
  return new PrecisError('timeout', `it did not answer within ${timeoutMs} ms.`)
}

function readMessage(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
