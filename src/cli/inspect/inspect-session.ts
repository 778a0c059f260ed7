// Inspects a session: kinds, turns, largest parts, files, losses of compactions.
import type { EntryId } from '../../core/edit/change.ts'
import { nameOfEntry } from '../../core/edit/report-name.ts'
import type { TokenSplit } from '../../core/edit/token-split.ts'
import { PrecisError } from '../../core/errors.ts'
import { ledgerReducer } from '../../core/ledger/ledger.ts'
import { type LedgerFile, ledgerFiles } from '../../core/ledger/ledger-lines.ts'
import type { EventAt, EventOf, ThreadEvent } from '../../core/log/event.ts'
import type { Settings } from '../../core/settings/settings.ts'
import type { Json } from '../../core/text/json.ts'
import { buildMessages } from '../../core/view/build.ts'
import type { TokenUsage } from '../../core/view/content.ts'
import { type Context, emptyContext, foldEvent, weightOf } from '../../core/view/context.ts'
import type { EntryKind } from '../../core/view/entry.ts'
import type { TokenCounter } from '../../core/window/tokens/counter.ts'
import { billedUsage } from '../../core/window/usage.ts'
import type { Io } from '../process-io.ts'
import { buildBackup } from '../session/backups.ts'
import { readName } from '../session/formats.ts'
import { type LoadedSession, loadThread, type Session } from '../session/session.ts'
import { countContext } from '../terminal/counter.ts'
import type { ProgressLine } from '../terminal/progress.ts'
import { compare, sideAt } from '../threads/difference.ts'

export interface Turn {
  readonly number: number
  readonly ref: EntryId
  readonly what: string
  readonly tokens: number
}

export interface Inspection {
  readonly input: { readonly source: string; readonly kind: string; readonly format: string | null }
  readonly counter: TokenCounter['id']
  readonly events: number
  readonly messages: number
  readonly subThreads: number
  readonly tokens: TokenSplit
  readonly billed?: TokenUsage // billed usage of its answers, if the file has it
  readonly turns: readonly Turn[]
  readonly largest: readonly {
    readonly ref: EntryId
    readonly what: string
    readonly tokens: number
  }[]
  readonly files: readonly Pick<LedgerFile, 'path' | 'state' | 'isRead'>[]
  readonly compactions: readonly Losses[]
  readonly strategies: readonly Trial[]
  readonly problems: readonly string[]
}

const LARGEST = 10

export async function inspectSession(
  session: Session,
  counter: TokenCounter,
  settings: Settings,
  progress: ProgressLine,
  io: Io,
): Promise<Inspection> {
  const { composed, threadId, target, format, subThreadIds } = session
  const loaded = await loadThread(composed, threadId)
  const { context, eventAt, events } = loaded
  const { messages } = await composed.threads.messages(threadId)
  const { conversation, summarizing } = await composed.threads.usage(threadId)
  const billed = billedUsage({ conversation, summarizing })
  progress.say('replaying the changes of files …')
  const ledger = events.reduce(ledgerReducer.step, ledgerReducer.init())
  progress.say('trying each strategy …')
  return {
    input: { source: readName(target), kind: target.kind, format: format?.id ?? null },
    counter: counter.id,
    events: events.length,
    messages: messages.length,
    subThreads: subThreadIds.length,
    tokens: countContext(context, eventAt, counter),
    ...(billed && billed.totalTokens > 0 && { billed }),
    turns: findTurns(loaded),
    largest: context.items
      .toArray()
      .toSorted((a, b) => b.tokens - a.tokens)
      .slice(0, LARGEST)
      .map(({ id, tokens }) => ({ ref: id, what: nameOfEntry(id, eventAt), tokens })),
    files: ledgerFiles(ledger).map(({ path, state, isRead }) => ({
      path,
      ...(state && { state }),
      isRead,
    })),
    compactions: lostByCompactions(events, await ownStrategy(session, io)),
    strategies: await tryStrategies(session, counter, settings, progress),
    problems: session.problems,
  }
}

/** The précis strategy that produced this file, if any. */
async function ownStrategy({ target }: Session, io: Io): Promise<string | undefined> {
  if (target.kind !== 'file' || target.path === '-') return undefined
  return (await buildBackup(target.path, io))?.what.replace(/^compacted with /, '')
}

/** A turn begins with a user message; what precedes the first one is a turn, too. */
function findTurns({ context, eventAt }: LoadedSession): Turn[] {
  const turns: { ref: EntryId; what: string; tokens: number }[] = []
  for (const { id, kind, tokens } of context.items) {
    if (kind === 'gap') continue
    const last = turns.at(-1)
    if (kind === 'user' || last === undefined)
      turns.push({ ref: id, what: nameOfEntry(id, eventAt), tokens })
    else last.tokens += tokens
  }
  return turns.map((turn, at) => ({ number: at + 1, ...turn }))
}

/** Tries each strategy that needs no model on a copy of the session. */
interface Trial {
  readonly id: string
  readonly tokens?: number // absent if it was refused or failed
  readonly refused?: string
}

/** Strategies that ask a model are skipped because they cost. */
async function tryStrategies(
  { composed, threadId }: Session,
  counter: TokenCounter,
  { gate }: Settings,
  progress: ProgressLine,
): Promise<Trial[]> {
  const { threads } = composed
  const trials: Trial[] = []
  for (const id of threads.strategyIds()) {
    progress.say(`trying ${id} …`)
    const copy = await threads.fork(threadId)
    try {
      const outcome = await threads.compact(copy, id, {
        trigger: 'command',
        minTokens: gate.minTokens,
      })
      if (outcome.committed) {
        const { context, eventAt } = await loadThread(composed, copy)
        trials.push({ id, tokens: countContext(context, eventAt, counter).total })
      } else trials.push({ id, refused: outcome.refusal.message })
    } catch (thrown) {
      if (!PrecisError.is(thrown)) throw thrown
      if (thrown.code !== 'no-model') trials.push({ id, refused: thrown.message })
    } finally {
      await threads.delete(copy)
    }
  }
  return trials
}

/** What each compaction in a log replaced, with the files it no longer names. */
export interface Losses {
  readonly seq: number
  readonly at: string
  readonly strategyId: string
  readonly by: string // the tool that recorded it, or précis
  readonly inForce: boolean
  readonly before: number // estimated tokens
  readonly after: number
  /** Entries no longer present in their original form, by kind. */
  readonly replaced: Readonly<Partial<Record<EntryKind, number>>>
  /** Files the session had read or changed by then, and how many the context still names. */
  readonly files: {
    readonly known: number
    readonly named: number
    readonly lost: readonly string[]
  }
}

const LOST_FILES = 20

/**
 * `ownStrategy` is the précis strategy that produced the file. Its record is the last one, and what follows
 * in the file is what it kept.
 */
function lostByCompactions(events: readonly ThreadEvent[], ownStrategy?: string): Losses[] {
  const eventAt: EventAt = (seq) => events[seq - 1]
  if (!events.some(({ type }) => type === 'COMPACTION')) return []
  const last = events.reduce((context, event) => foldEvent(context, event, eventAt), emptyContext())
  const written = ownStrategy === undefined ? undefined : events.findLast(isCompaction)?.seq
  const lost: Losses[] = []
  let context = emptyContext()
  let ledger = ledgerReducer.init()
  for (const event of events) {
    const before = context
    context = foldEvent(context, event, eventAt)
    ledger = ledgerReducer.step(ledger, event)
    if (!isCompaction(event)) continue
    const isOurs = event.seq === written
    const after = isOurs ? last : context
    const paths = ledgerFiles(ledger).map(({ path }) => path)
    lost.push({
      seq: event.seq,
      at: event.timestamp.toISOString(),
      strategyId: (isOurs && ownStrategy) || event.data.strategyId,
      by: isOurs ? 'precis' : buildRecorder(event),
      inForce: last.active.includes(event.seq),
      before: weightOf(before),
      after: weightOf(after),
      replaced: isOurs ? reworded(events, event.seq) : replacedIn(before, after),
      files: filesIn(paths, after, eventAt),
    })
  }
  return lost
}

function isCompaction(event: ThreadEvent): event is EventOf<'COMPACTION'> {
  return event.type === 'COMPACTION'
}

function buildRecorder({ data }: EventOf<'COMPACTION'>): string {
  const { metadata, trigger } = data
  const format = trigger === 'import' ? readField(metadata, 'format') : undefined
  return typeof format === 'string' ? format : 'precis'
}

function readField(json: Json | undefined, name: string): Json | undefined {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined
  return (json as { readonly [key: string]: Json })[name]
}

function replacedIn(before: Context, after: Context): Partial<Record<EntryKind, number>> {
  const there = new Set([...after.items].map(({ id }) => id))
  const counts: Partial<Record<EntryKind, number>> = {}
  for (const { id, kind } of before.items)
    if (kind !== 'gap' && !there.has(id)) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

/** A file repeats what stays, so the content counts, not the place. */
function reworded(events: readonly ThreadEvent[], seq: number): Losses['replaced'] {
  const counts: Partial<Record<EntryKind, number>> = {}
  const { lines } = compare(sideAt(events, seq - 1, 'before'), sideAt(events, events.length, 'now'))
  for (const { sign, kind } of lines) if (sign === '-') counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

function filesIn(paths: readonly string[], context: Context, eventAt: EventAt): Losses['files'] {
  const text = JSON.stringify(buildMessages(context, eventAt).messages)
  const lost = paths.filter((path) => !text.includes(nameIn(path)))
  return { known: paths.length, named: paths.length - lost.length, lost: lost.slice(0, LOST_FILES) }
}

/** A summary may name a file by the end of its path. */
function nameIn(path: string): string {
  const [file = path] = path.split('/').slice(-1)
  return JSON.stringify(file).slice(1, -1)
}
