// A summary that opens a new session: started beside the old one, which stays as it was.
import type { Composed } from '../../compose.ts'
import { readRow } from '../../core/codec.ts'
import { PrecisError } from '../../core/errors.ts'
import type { EventDraft } from '../../core/event.ts'
import { checkSummary } from '../../core/gate-summary.ts'
import { pinnedText, pinsReducer } from '../../core/pins.ts'
import type { CompactionReport } from '../../core/report.ts'
import { nameOfEntry } from '../../core/report-name.ts'
import { splitTokens } from '../../core/report-split.ts'
import { reducedBy } from '../../core/thread-state.ts'
import type { PreparedCompaction } from '../../threads/compact-thread.ts'
import { loadThread } from '../session/session.ts'

const LARGEST = 10

/** With the same prompts and pinned texts; in one append, so that it is whole or not there. */
export async function startFresh(
  { threads, store, ids }: Pick<Composed, 'threads' | 'store' | 'ids'>,
  threadId: string,
  { proposal, strategyId }: PreparedCompaction,
): Promise<{ readonly threadId: string }> {
  const { fresh } = proposal
  const refusal = checkSummary(proposal, [])
  if (refusal || !fresh)
    throw new PrecisError('gate-refused', `the summary was refused: ${refusal?.message ?? ''}`, {
      where: strategyId,
      hint: 'Nothing was changed. Try again, or another strategy.',
      details: { reason: refusal?.reason },
    })
  const state = await threads.state(threadId)
  const pins = reducedBy(state, pinsReducer)
  const text = pinnedText(pins)
  const prompts = await promptsOf(store, threadId, state.context.head)
  const drafts: EventDraft[] = [
    ...prompts,
    { type: 'USER_MESSAGE', data: fresh.message, origin: 'summary' },
    ...(text === undefined ? [] : [pinnedMessage(text)]),
    ...pins.flatMap(({ text: pinned }): EventDraft[] =>
      pinned === undefined
        ? []
        : [{ type: 'PIN', data: { pinId: ids.next('pin'), text: pinned, by: 'user' } }],
    ),
  ]
  const from = { threadId, seq: state.context.version }
  return { threadId: await threads.create({ from, reason: 'fresh-session' }, drafts) }
}

function pinnedMessage(text: string): EventDraft {
  return { type: 'USER_MESSAGE', data: text, origin: 'summary' }
}

async function promptsOf(
  store: Composed['store'],
  threadId: string,
  { system, userSystem }: { readonly system?: number; readonly userSystem?: number },
): Promise<EventDraft[]> {
  const seqs = [system, userSystem].filter((seq) => seq !== undefined)
  const rows = await store.readMany(
    threadId,
    seqs.map((seq) => [seq, seq] as const),
  )
  return rows
    .map(readRow)
    .flatMap((event): EventDraft[] =>
      event.type === 'SYSTEM_PROMPT' || event.type === 'USER_SYSTEM_PROMPT'
        ? [{ type: event.type, data: event.data }]
        : [],
    )
}

/** Everything that was there went, and a summary came. */
export async function freshReport(
  composed: Pick<Composed, 'threads' | 'store'>,
  threadId: string,
  freshId: string,
  { strategyId, trigger, settings = {} }: PreparedCompaction,
): Promise<CompactionReport> {
  const was = await loadThread(composed, threadId)
  const is = await loadThread(composed, freshId)
  const items = was.context.items.toArray().filter(({ kind }) => kind !== 'gap')
  const heaviest = items.toSorted((a, b) => b.tokens - a.tokens).slice(0, LARGEST)
  const texts = is.events.filter(({ type }) => type === 'PIN').length
  return {
    strategyId,
    trigger,
    before: splitTokens(was.context, was.eventAt),
    after: splitTokens(is.context, is.eventAt),
    drops: [{ why: strategyId, entries: items.length, tokens: was.context.tokens }],
    largest: heaviest.map(({ id, tokens }) => ({
      ref: id,
      what: nameOfEntry(id, was.eventAt),
      why: strategyId,
      before: tokens,
      after: 0,
    })),
    pins: { entries: [], texts, tokens: 0 },
    refs: { count: 0, first: [] },
    settings,
  }
}
