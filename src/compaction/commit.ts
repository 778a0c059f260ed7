// The second half of a compaction: the gate judges a proposal, one append commits it, a report describes it.

import type { GateResult } from '../core/edit/gate.ts'
import type { Refusal } from '../core/edit/gate-checks.ts'
import { passGate } from '../core/edit/pass-gate.ts'
import { type Pins, pinsReducer } from '../core/edit/pins.ts'
import type { CompactionReport } from '../core/edit/report.ts'
import { PrecisError } from '../core/errors.ts'
import type { EventAt, EventDraft } from '../core/log/event.ts'
import type { Context } from '../core/view/context.ts'
import { reducedBy } from '../core/view/thread-state.ts'
import { buildReport, withCounts } from './counted-change.ts'
import type { EditableThread, OpenThread } from './editable-thread.ts'
import { buildNewThread, type NewThread } from './new-thread.ts'
import type { Committed, ProposalRecord, Refused } from './plan.ts'

export interface CommitPorts {
  readonly open: OpenThread
  newId(prefix: string): string
  /** What else moves to a new thread; called right before it is opened. */
  moving?(): Promise<readonly EventDraft[]>
}

/** A proposal the gate accepted, with its context. */
export interface JudgedProposal {
  readonly context: Context
  readonly eventAt: EventAt
  readonly pins: Pins
  readonly result: GateResult
}

/** The gate's current verdict on a proposal. Changes nothing. */
export function judgeProposal(
  thread: EditableThread,
  record: ProposalRecord,
): Promise<JudgedProposal> {
  return thread.exclusively(async () => {
    const judged = await judge(thread, record)
    return { ...judged, eventAt: thread.rows.copy() }
  })
}

/** The only path that commits a compaction. After a conflict the gate judges again. */
export function applyCompaction(
  thread: EditableThread,
  record: ProposalRecord,
  ports: CommitPorts,
): Promise<Committed | Refused> {
  return record.proposal.fresh
    ? openInstead(thread, record, ports)
    : thread.exclusively(() => appendChange(thread, record))
}

async function judge(thread: EditableThread, record: ProposalRecord): Promise<JudgedProposal> {
  await thread.refresh()
  await thread.loadContext()
  const { context } = thread
  const { eventAt } = thread.rows
  const pins = [...reducedBy(thread.state, pinsReducer), ...(record.pins ?? [])]
  return { context, eventAt, pins, result: passGate({ ...record, context, eventAt, pins }) }
}

async function appendChange(
  thread: EditableThread,
  record: ProposalRecord,
): Promise<Committed | Refused> {
  let refusal: Refusal | undefined
  let report: CompactionReport | undefined
  const events = await thread.append(
    async () => {
      const judged = await judge(thread, record)
      const { result } = judged
      refusal = result.ok ? undefined : result.refusal
      if (!result.ok) return []
      const counted = withCounts(result, thread.id, judged)
      report = buildReport(record, counted, judged)
      const found = (record.pins ?? []).map((data) => ({ type: 'PIN', data }) as const)
      const { madeAt } = record
      const timestamp = madeAt === undefined ? {} : { timestamp: new Date(madeAt) }
      return [{ type: 'COMPACTION', data: counted.change, ...timestamp }, ...found]
    },
    'leave',
    record.expectedVersion,
  )
  // Committed or refused: the next run starts from scratch.
  await thread.scratch.clear()
  const event = events.find((candidate) => candidate.type === 'COMPACTION')
  const { seq: version } = events.at(-1) ?? event ?? {}
  if (event && report && version !== undefined) return { committed: true, event, version, report }
  if (refusal) return { committed: false, refusal }
  throw new PrecisError('internal', 'The gate accepted a compaction, but nothing was appended.')
}

/** One append creates the new thread. The old one is not written to (decision 0012). */
async function openInstead(
  thread: EditableThread,
  record: ProposalRecord,
  ports: CommitPorts,
): Promise<Committed | Refused> {
  const planned = await thread.exclusively(async (): Promise<SessionDraft | Refusal> => {
    const judged = await judge(thread, record)
    const { result } = judged
    if (!result.ok) return result.refusal
    const seen = { ...judged, eventAt: thread.rows.copy() }
    return {
      report: () => buildReport(record, withCounts(result, thread.id, seen), seen),
      make: buildNewThread({ ...judged, thread, record, result }),
    }
  })
  if ('reason' in planned) return { committed: false, refusal: planned }
  // After the gate: messages delivered in between belong to the old thread and move with it.
  const { started, drafts } = planned.make((await ports.moving?.()) ?? [], () => ports.newId('pin'))
  const threadId = await ports.open(started, drafts)
  const { summary = '', replacedFor } = record.proposal.fresh ?? {}
  return {
    committed: true,
    fresh: { threadId, summary, ...(replacedFor !== undefined && { replacedFor }) },
    // Built on demand: agents show none (FRESH-26).
    get report() {
      return planned.report()
    },
  }
}

interface SessionDraft {
  report(): CompactionReport
  readonly make: NewThread
}
