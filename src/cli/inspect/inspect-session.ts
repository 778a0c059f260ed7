// Inspects a session: kinds, turns, largest parts, files, losses of compactions
import type { EntryId } from '../../core/edit/change.ts'
import { nameOfEntry } from '../../core/edit/report-name.ts'
import type { TokenSplit } from '../../core/edit/report-split.ts'
import { ledgerReducer } from '../../core/ledger/ledger.ts'
import { type LedgerFile, ledgerFiles } from '../../core/ledger/ledger-lines.ts'
import type { Settings } from '../../core/settings/settings.ts'
import type { TokenUsage } from '../../core/view/content.ts'
import type { TokenCounter } from '../../core/window/tokens/counter.ts'
import { billedUsage } from '../../core/window/usage.ts'
import type { Io } from '../process-io.ts'
import { backupOf } from '../session/backups.ts'
import { type Loaded, loadThread, type Session } from '../session/session.ts'
import { nameOf } from '../session/target.ts'
import { countContext } from '../terminal/counter.ts'
import type { ProgressLine } from '../terminal/progress.ts'
import { type Losses, lostByCompactions } from './lost.ts'
import { type Trial, tryStrategies } from './trials.ts'

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
  readonly billed?: TokenUsage // what its answers were billed, where the file says
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
  progress.say('replaying what became of files …')
  const ledger = events.reduce(ledgerReducer.step, ledgerReducer.init())
  progress.say('trying each strategy …')
  return {
    input: { source: nameOf(target), kind: target.kind, format: format?.id ?? null },
    counter: counter.id,
    events: events.length,
    messages: messages.length,
    subThreads: subThreadIds.length,
    tokens: countContext(context, eventAt, counter),
    ...(billed && billed.totalTokens > 0 && { billed }),
    turns: turnsOf(loaded),
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

/** The strategy by which précis made the file what it is. */
async function ownStrategy({ target }: Session, io: Io): Promise<string | undefined> {
  if (target.kind !== 'file' || target.path === '-') return undefined
  return (await backupOf(target.path, io))?.what.replace(/^compacted with /, '')
}

/** A turn begins with what the user says; what comes before the first one is a turn as well. */
function turnsOf({ context, eventAt }: Loaded): Turn[] {
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
