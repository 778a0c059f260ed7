// The gate: the only place where a proposal becomes a compaction, or is refused with a reason.
import type { EventAt } from '../log/event.ts'
import { type Context, weightOf } from '../view/context.ts'
import { type Item, parseEntryId } from '../view/entry.ts'
import { runsOf } from '../view/entry-range.ts'
import { keepRequest } from '../view/keep-request.ts'
import { carriedEntry } from '../view/request-note.ts'
import { findOpenCalls, lastRoundStart } from '../view/seam.ts'
import { dropStaleNotes } from '../view/stale-notes.ts'
import { type Applied, applyChange } from './apply.ts'
import type { CompactionData, Edit, NewEntry, Reading, Run, Trigger } from './change.ts'
import {
  checkCarriers,
  checkPairing,
  checkPins,
  checkRewrites,
  checkSeams,
  checkShrinks,
  checkSize,
  checkSummaries,
  checkTarget,
  GATE_MIN_TOKENS,
  type Refusal,
  type RefusalReason,
  type TextCheck,
} from './gate-checks.ts'
import { computeInverse } from './inverse.ts'
import { keepPins, type Pins } from './pins.ts'
import type { FreshStart, Proposal } from './strategy.ts'

export { GATE_MIN_TOKENS, type Refusal, type RefusalReason, type TextCheck } from './gate-checks.ts'

export interface GateInput {
  readonly context: Context
  readonly eventAt: EventAt
  readonly proposal: Proposal
  readonly basedOn: number // version the proposal was made for
  readonly strategyId: string
  readonly trigger: Trigger
  readonly runId: string
  readonly pins: Pins
  readonly minTokens?: number | undefined // smaller replacements need not shrink
  readonly targetTokens?: number | undefined
  readonly before?: Reading
}

/** A COMPACTION without event counts, which the caller computes. */
export type GatedChange = Omit<CompactionData, 'originalEventCount' | 'compactedEventCount'>

type GateRefusal = { readonly ok: false; readonly refusal: Refusal }

export type GateResult =
  | { readonly ok: true; readonly data: GatedChange; readonly applied: Applied }
  | GateRefusal

/** The same without the inverse, which only a commit needs. */
type TriedResult =
  | {
      readonly ok: true
      readonly data: Omit<GatedChange, 'inverse'> & Required<Pick<GatedChange, 'after'>>
      readonly applied: Applied
    }
  | GateRefusal

/** `passGate` with another text check. */
export function passGateWith(checkText: TextCheck, input: GateInput): GateResult {
  const tried = tryGate(input, checkText)
  if (!tried.ok) return tried
  const { applied, data } = tried
  const { basedOn, edits, ...rest } = data
  const before = input.context.items.toArray()
  const inverse = computeInverse(before, applied.items, applied.placed, input.eventAt)
  return { ok: true, applied, data: { basedOn, edits, inverse, ...rest } }
}

/** The gate's verdict and the resulting context. Checks model text only if given a check. */
export function tryGate(input: GateInput, checkText: TextCheck = () => undefined): TriedResult {
  const { context, eventAt, proposal, minTokens = GATE_MIN_TOKENS } = input
  const refuse = (reason: RefusalReason, message: string): GateRefusal => ({
    ok: false,
    refusal: { reason, message },
  })
  const before = context.items.toArray()
  const isAsked = isExplicit(input.trigger)
  const proposed = proposal.fresh ? openingEdits(input, proposal.fresh) : proposal.edits
  if ('reason' in proposed) return { ok: false, refusal: proposed }
  const pinned = keepPins(
    dropStaleNotes(proposed, context, eventAt),
    context,
    input.pins,
    eventAt,
    {
      isAsked,
    },
  )
  const edits = keepRequest(pinned, context, eventAt, {
    minTokens,
    ...(input.targetTokens !== undefined && { targetTokens: input.targetTokens }),
  })
  if (edits.length === 0 && !isAsked) return refuse('no-edits', 'There is nothing to replace.')
  const badSummary = checkSummaries(proposal, edits, checkText)
  if (badSummary) return { ok: false, refusal: badSummary }

  // A new thread has no open calls.
  const closing = proposal.fresh ? new Set<string>() : closed(context.open, proposal.closes)
  const hide = edits.length === 0 ? [] : thinkingToHide(before, proposal.closes, eventAt)
  const applied = applyChange(before, { edits, hide }, context.version + 1, 'forward', eventAt)
  if (!applied.ok) return refuse(applied.reason, applied.message)
  const after =
    applied.items.reduce((sum, item) => sum + item.tokens, 0) + weightOf(context) - context.tokens
  const draft = { before, after: applied.items, placed: applied.placed, open: closing }
  const broken =
    checkRewrites(draft, proposal.closes ?? []) ??
    checkCarriers(draft) ??
    checkSeams(draft) ??
    checkPairing(draft) ??
    checkPins(draft, input.pins, eventAt) ??
    checkSize(draft, minTokens) ??
    (isAsked
      ? undefined
      : (checkShrinks(draft, minTokens) ??
        checkTarget(after - grownTokens(before, input.basedOn), input.targetTokens)))
  if (broken) return { ok: false, refusal: broken }

  // A pinned answer keeps its call, which is then still open.
  const stillOpen = findOpenCalls(applied.items)
  const closes = (proposal.closes ?? []).filter((call) => !stillOpen.has(call))
  return {
    ok: true,
    applied,
    data: {
      basedOn: input.basedOn,
      edits,
      ...(hide.length > 0 && { hide }),
      ...(closes.length > 0 && { closes }),
      runId: input.runId,
      strategyId: input.strategyId,
      trigger: input.trigger,
      before: input.before ?? { tokens: weightOf(context), by: 'estimated' },
      after: { tokens: after, by: 'estimated' },
      ...(proposal.usage && { usage: proposal.usage }),
      ...(proposal.metadata !== undefined && { metadata: proposal.metadata }),
    },
  }
}

/**
 * A summary that opens a new thread is judged as if it replaced everything it has seen. The result is the
 * start of the new thread: summary, pins, and later messages.
 */
function openingEdits(
  { context, basedOn, trigger, eventAt }: GateInput,
  { message, carried }: FreshStart,
): readonly Edit[] | Refusal {
  if (!isExplicit(trigger))
    return {
      reason: 'no-edits',
      message: 'Its summary opens a new thread, and changes nothing in this one.',
    }
  const { stack, undone, pops } = context
  if ([...stack, ...undone, ...pops.map(([, at]) => at)].some((seq) => seq > basedOn))
    return {
      reason: 'stale',
      message: 'The conversation has changed: the summary is stale.',
    }
  const isLate = ({ id }: Item) => parseEntryId(id).seq > basedOn
  const items = context.items.toArray()
  // A later result may belong to an earlier call.
  if (items.some((item) => isLate(item) && (item.kind === 'result' || item.calls?.length)))
    return { reason: 'stale', message: 'Tools were called in the meantime: the summary is stale.' }
  const seen = items.filter((item) => !isLate(item))
  if (seen.length === 0) return { reason: 'no-edits', message: 'There is nothing to replace.' }
  const entry: NewEntry = { type: 'USER_MESSAGE', data: message, label: 'summary' }
  const put = carried === undefined ? [entry] : [entry, carriedEntry(carried)]
  return [{ covers: runsOf(seen, eventAt), put }]
}

/** Requested by a person: may change nothing, and may end above the target. */
function isExplicit(trigger: Trigger): boolean {
  return trigger === 'command' || trigger === 'tool' || trigger === 'import'
}

/** Content added while the proposal was made. */
function grownTokens(items: readonly Item[], basedOn: number): number {
  let tokens = 0
  for (let at = items.length - 1; at >= 0; at -= 1) {
    const { id, tokens: own } = items[at] as Item
    if (parseEntryId(id).seq <= basedOn) break
    tokens += own
  }
  return tokens
}

function closed(open: ReadonlySet<string>, closes: readonly string[] = []): ReadonlySet<string> {
  return new Set([...open].filter((call) => !closes.includes(call)))
}

/** After a rewritten prefix, thinking stays only in the unanswered round. */
function thinkingToHide(
  items: readonly Item[],
  closes: readonly string[] | undefined,
  eventAt: EventAt,
): Run[] {
  const end = lastRoundStart(items, closes)
  const answers = items.filter(
    (item, at) => at < end && item.thinkingTokens !== undefined && !item.hide,
  )
  const first = items.indexOf(answers[0] as Item)
  const last = items.indexOf(answers.at(-1) as Item)
  return answers.length === 0 ? [] : runsOf(items.slice(first, last + 1), eventAt)
}
