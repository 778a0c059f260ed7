// A summary opens a new thread that goes on where the old one stopped; nothing is written to the old one.
import type { EntryId } from '../core/change.ts'
import type { TokenUsage, UserContent } from '../core/content.ts'
import { type Context, weightOf } from '../core/context.ts'
import { type Item, isEntryId, originalId, parseEntryId } from '../core/entry.ts'
import { contentOf } from '../core/entry-content.ts'
import { PrecisError } from '../core/errors.ts'
import {
  type EventAt,
  type EventDraft,
  isChange,
  type PinData,
  type ThreadEvent,
} from '../core/event.ts'
import { GATE_MIN_TOKENS } from '../core/gate.ts'
import { checkSummary } from '../core/gate-summary.ts'
import type { QueuedMessage } from '../core/inbox.ts'
import { type Pins, pinnedEntries, pinnedText, pinsReducer } from '../core/pins.ts'
import type { FreshStart } from '../core/strategy.ts'
import { reducedBy } from '../core/thread-state.ts'
import { estimateTokens } from '../core/tokens/estimate.ts'
import type { PreparedCompaction } from '../threads/compact-thread.ts'
import { abortedResult } from '../threads/number-drafts.ts'
import type { AgentCore, Turn } from './core.ts'
import { inherited } from './inherit.ts'
import { waitingIn } from './waiting.ts'
import { workOn } from './work.ts'

/** A thread that has taken the place of another. */
export interface FreshThread {
  readonly threadId: string
  readonly summary: string
  readonly usage?: TokenUsage
}

export const FRESH_SESSION = 'fresh-session'

/** Commands are refused in these words (FRESH-04, FRESH-05). */
const RESPONDING = 'Cannot compact while responding. Use /abort first.'
const TOO_SHORT = 'Nothing to compact (need at least one exchange)'
const FEWEST_MESSAGES = 2
/** Of the first draft in a new thread: that it was started comes before. */
const FIRST_SEQ = 2

/** Throws where a new session cannot or need not be started. Nothing has happened then. */
export async function requireExchange(
  { core, desk }: Turn,
  where: 'alone' | 'beside',
): Promise<void> {
  if (where === 'beside') throw new PrecisError('usage', RESPONDING)
  const { messages } = await core.ports.threads.messages(desk.threadId)
  if (messages.length < FEWEST_MESSAGES) throw new PrecisError('usage', TOO_SHORT)
}

/** Rejects where the summary cannot be used; then there is no new thread. */
export async function openFreshThread(
  core: AgentCore,
  from: string,
  { proposal, minTokens, basedOn }: PreparedCompaction,
  fresh: FreshStart,
): Promise<FreshThread> {
  const { threads } = core.ports
  const refusal = checkSummary(proposal, [])
  if (refusal) throw refusedWith(refusal.message, refusal.reason)
  const state = await threads.state(from)
  const { context } = state
  const pins = reducedBy(state, pinsReducer)
  const needsRows = pins.length > 0 || context.version > basedOn
  const rows: Rows = needsRows ? await rowsOf(core, from) : new Map()
  const late = lateItems(context, basedOn, rows)
  const was = late.reduce((tokens, item) => tokens - item.tokens, weightOf(context))
  const is = estimateTokens(fresh.message)
  if (was >= (minTokens ?? GATE_MIN_TOKENS) && is >= was)
    throw refusedWith(`The summary has ${is} tokens and the conversation ${was}.`, 'not-smaller')
  // The same prompts, model, thinking, preset and folder: so the same tools (FRESH-28).
  const drafts = [
    ...(await waitingIn(core, from)).map(queuedAgain),
    ...(await inherited(core, from)),
    opening(fresh.message),
    ...(fresh.carried === undefined ? [] : [opening(fresh.carried)]),
  ]
  const kept = keptEntries(context, pins, late, rows)
  // In one append: a process that ends here leaves a whole new thread, or none.
  const threadId = await threads.create(
    { from: { threadId: from, seq: context.version }, reason: 'fresh-session' },
    [
      ...drafts,
      ...kept.flatMap(({ entry }) => entry),
      ...pinAgain(core, pins, kept, FIRST_SEQ + drafts.length),
    ],
  )
  const { usage } = proposal
  if (fresh.unverified.length > 0) {
    const message = `The summary names what the conversation does not have: ${fresh.unverified.join(', ')}`
    core.frames.emit({ type: 'notice', threadId: from, level: 'warning', message })
  }
  return { threadId, summary: fresh.summary, ...(usage && { usage }) }
}

type Rows = ReadonlyMap<number, ThreadEvent>

async function rowsOf({ ports }: AgentCore, threadId: string): Promise<Rows> {
  const events = (await ports.threads.getAllEvents(threadId)) as ThreadEvent[]
  return new Map(events.map((event) => [event.seq, event]))
}

/**
 * What was said since the summary was asked for, which knows nothing of it. Throws where the summary
 * tells of a context that is no more, or where a tool round came: its call may be one from before.
 */
function lateItems({ items, version }: Context, basedOn: number, rows: Rows): readonly Item[] {
  for (let seq = basedOn + 1; seq <= version; seq += 1) {
    const event = rows.get(seq)
    if (event && isChange(event))
      throw refusedWith('The conversation was changed meanwhile: the summary is stale.', 'stale')
  }
  const late = items.toArray().filter(({ id }) => {
    const { original, seq } = parseEntryId(id)
    return original && seq > basedOn
  })
  if (late.some(({ kind, calls }) => kind === 'result' || (calls?.length ?? 0) > 0))
    throw refusedWith('Tools were called meanwhile: the summary is stale.', 'stale')
  return late
}

function refusedWith(message: string, reason: string): PrecisError {
  return new PrecisError('gate-refused', message, { details: { reason } })
}

/**
 * Messages that came while it ran belong where the conversation goes on. Most are in the new thread from
 * its beginning; these came since. Nothing is written to the old one: `waitingIn` knows where they are.
 */
export async function moveInbox(core: AgentCore, from: string, to: string): Promise<void> {
  const { threads } = core.ports
  const desk = core.desks.of(from)
  await Promise.allSettled(desk.queueing)
  const move = async () => {
    const late = await waitingIn(core, from)
    if (late.length > 0) await threads.append(to, late.map(queuedAgain), { openCalls: 'leave' })
  }
  // Where somebody works on the old thread already, they say there what came after the new one began.
  if (!desk.work) await workOn(core, desk, move, { isBrief: true })
  for (const { messageId } of await waitingIn(core, to))
    core.frames.emit({ type: 'message-queued', threadId: to, messageId })
}

/** Under the same name: so that it is known to be the same. */
function queuedAgain({ messageId, content }: QueuedMessage): EventDraft {
  return { type: 'MESSAGE_QUEUED', data: { messageId, content } }
}

function opening(message: UserContent): EventDraft {
  return { type: 'USER_MESSAGE', data: message, origin: 'summary' }
}

interface Kept {
  readonly id: string // in the old thread
  readonly entry: readonly EventDraft[]
}

/** Behind the summary, as it was: what is pinned, the pinned texts as one entry (ALWAYS-21), what came late. */
function keptEntries(
  { items, open }: Context,
  pins: Pins,
  late: readonly Item[],
  rows: Rows,
): Kept[] {
  const eventAt: EventAt = (seq) => rows.get(seq)
  const all = items.toArray()
  const held = pinnedEntries(all, open, pins)
  const asItWas = ({ id }: Item): Kept => ({ id, entry: entryDrafts(id, eventAt, open) })
  const text = pinnedText(pins)
  return [
    ...all.filter((item) => held.has(item.id) && !late.includes(item)).map(asItWas),
    ...(text === undefined ? [] : [{ id: '', entry: [opening(text)] }]),
    ...late.map(asItWas),
  ]
}

/** Calls that nobody will answer any more are closed here: nothing else comes between them. */
function entryDrafts(id: string, eventAt: EventAt, open: ReadonlySet<string>): EventDraft[] {
  const content = isEntryId(id) ? contentOf(id, eventAt) : undefined
  switch (content?.kind) {
    case 'user':
      return [{ type: 'USER_MESSAGE', data: content.content }]
    case 'answer':
      return [
        { type: 'AGENT_MESSAGE', data: content.answer },
        ...content.calls.map(
          (call): EventDraft => ({ type: 'TOOL_CALL', data: { ...call, answer: 0 } }), // numbered by the log
        ),
        ...content.calls.filter((call) => open.has(call.id)).map((call) => abortedResult(call.id)),
      ]
    case 'result':
      return [{ type: 'TOOL_RESULT', data: content.result }]
    case 'reminder':
      return [{ type: 'SYSTEM_REMINDER', data: content.text }]
    default:
      return []
  }
}

/** Pins hold in the new thread as well, by the names that their entries have there. */
function pinAgain(
  { ports }: AgentCore,
  pins: Pins,
  kept: readonly Kept[],
  firstSeq: number,
): EventDraft[] {
  const nameOf = new Map<string, EntryId>()
  let seq = firstSeq
  for (const { id, entry } of kept) {
    if (entry.length > 0) nameOf.set(id, originalId(seq))
    seq += entry.length
  }
  return pins.flatMap(({ text, entries, by }): EventDraft[] => {
    const there = entries?.flatMap((id) => nameOf.get(id) ?? [])
    if (text === undefined && !there?.length) return []
    const data: PinData = {
      pinId: ports.ids.next('pin'),
      ...(text !== undefined && { text }),
      ...(there?.length && { entries: there }),
      ...(by !== undefined && { by }),
    }
    return [{ type: 'PIN', data }]
  })
}
