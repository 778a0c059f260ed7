// A tool round's results as sent, and faults of rounds in imported logs.

import type { EntryId } from '../edit/change.ts'
import { bearsEntry, type EventAt, UNDONE_COMPACT } from '../log/event.ts'
import { MIN_URL_CHARS } from '../text/fold-base64.ts'
import type { Block, ToolCall, ToolResult } from './content.ts'
import { findRoot, type Item, parseEntryId } from './entry.ts'
import { contentOf, outranks } from './entry-content.ts'
import type { MessagePart, ToolResultPart } from './message.ts'
import type { Round } from './seam.ts'

/** Something no provider would accept, and how it was handled. */
export interface Problem {
  readonly code:
    | 'orphan-result'
    | 'duplicate-call'
    | 'duplicate-result'
    | 'abandoned-call'
    | 'open-call'
    | 'missing-row'
  readonly entry: EntryId
  readonly message: string
}

export interface RoundInput {
  readonly round: Round
  readonly calls: readonly ToolCall[] // with arguments in the log
  readonly items: readonly Item[]
  readonly open: ReadonlySet<string>
  /** COMPACTIONs in effect. */
  readonly active: readonly number[]
  readonly eventAt: EventAt
}

export interface RoundResults {
  readonly parts: readonly ToolResultPart[]
  readonly paired: readonly number[] // indices of results with a call
  /** One of the calls compacted the thread, and that was undone. */
  readonly isUndone: boolean
  readonly problems: readonly Problem[]
}

/** By call, in call order. A call that will never have a result is answered as aborted. */
export function roundResults(input: RoundInput): RoundResults {
  const { round, calls, items, open, eventAt } = input
  const parts: ToolResultPart[] = []
  const paired: number[] = []
  const problems = faultsOfCalls(round, calls, items)
  for (const call of new Set(calls.map(({ id }) => id))) {
    const indices = round.results.get(call)
    if (indices) {
      const best = bestResult(indices, items, eventAt)
      paired.push(...indices)
      for (const index of indices)
        if (index !== best.index) problems.push(duplicate(items[index] as Item))
      const { id } = items[best.index] as Item
      const { content, status } = best.result
      const said = isUndone(input, call, parseEntryId(id).seq) ? [UNDONE] : content
      const part: ToolResultPart = { type: 'tool_result', id: call, content: said, status }
      parts.push(withRef(part, id))
      continue
    }
    if (isUndone(input, call)) {
      parts.push({ type: 'tool_result', id: call, content: [UNDONE], status: 'completed' })
      continue
    }
    const waiting = open.has(call) && round.end > items.length
    problems.push(unanswered(round.answer, call, waiting))
    if (!waiting)
      parts.push({ type: 'tool_result', id: call, content: [NO_RESULT], status: 'aborted' })
  }
  const undone = parts.some(({ content }) => content[0] === UNDONE)
  return { parts, paired, problems, isUndone: undone }
}

/**
 * Whether the call compacted the thread and that was undone: the compaction follows the call, before its
 * result if other calls stood beside it.
 */
function isUndone(input: RoundInput, call: string, result?: number): boolean {
  const { round, calls, active, eventAt } = input
  const isCompact = calls.some(({ id, name }) => id === call && name === 'compact')
  const root = parseEntryId(findRoot(round.answer, eventAt))
  for (let seq = root.seq + 1; root.original && seq !== result; seq += 1) {
    const event = eventAt(seq)
    if (event === undefined || (result === undefined && bearsEntry(event))) return false
    if (event.type !== 'COMPACTION' || event.data.trigger !== 'tool') continue
    const isOurs = result === undefined ? event.data.closes?.includes(call) : isCompact
    if (isOurs) return !active.includes(seq)
  }
  return false
}

const UNDONE = { type: 'text', text: UNDONE_COMPACT } as const
const NO_RESULT = { type: 'text', text: 'The call was interrupted and has no result.' } as const
const EMPTY_RESULT: ToolResult = { content: [], status: 'aborted' }

/** Calls listed twice, or with unreadable rows. */
function faultsOfCalls(
  round: Round,
  calls: readonly ToolCall[],
  items: readonly Item[],
): Problem[] {
  const known = new Set(calls.map(({ id }) => id))
  const listed = items[round.start]?.calls ?? []
  return listed.flatMap((call, at): Problem[] => {
    const entry = round.answer
    if (listed.indexOf(call) !== at)
      return [
        {
          code: 'duplicate-call',
          entry,
          message: `The call ${call} is listed twice; one is sent.`,
        },
      ]
    if (known.has(call)) return []
    const message = `The arguments of the call ${call} are not there; it was left out with its result.`
    return [{ code: 'missing-row', entry, message }]
  })
}

function bestResult(indices: readonly number[], items: readonly Item[], eventAt: EventAt) {
  const results = indices.map((index) => {
    const content = contentOf((items[index] as Item).id, eventAt)
    return { index, result: content?.kind === 'result' ? content.result : EMPTY_RESULT }
  })
  return results.reduce((best, next) =>
    outranks(next.result.status, best.result.status) ? next : best,
  )
}

export function missingRow(item: Item): Problem {
  return {
    code: 'missing-row',
    entry: item.id,
    message: `The row of ${item.id} is not there; it was left out.`,
  }
}

export function orphan(item: Item): Problem {
  return {
    code: 'orphan-result',
    entry: item.id,
    message: `The result ${item.id} has no call; it was left out.`,
  }
}

function duplicate(item: Item): Problem {
  return {
    code: 'duplicate-result',
    entry: item.id,
    message: `${item.id} is a second result for its call.`,
  }
}

function unanswered(entry: EntryId, call: string, waiting: boolean): Problem {
  return waiting
    ? { code: 'open-call', entry, message: `The call ${call} still waits for its result.` }
    : {
        code: 'abandoned-call',
        entry,
        message: `The call ${call} never got a result; it is answered as aborted.`,
      }
}

/** The part with its entry's id, if a wire may have to shorten it. */
export function withRef<P extends MessagePart>(part: P, ref: EntryId): P {
  return mayBeShortened(part) ? { ...part, ref } : part
}

function mayBeShortened(part: MessagePart): boolean {
  switch (part.type) {
    case 'image':
      return true
    case 'text':
      return isLong(part.text)
    case 'tool_result':
      return part.content.some(mayBlockBeShortened)
    default:
      return false
  }
}

function mayBlockBeShortened({ type, text = '', mimeType = '' }: Block): boolean {
  return type === 'image' || mimeType.startsWith('image/') || isLong(text)
}

function isLong(text: string): boolean {
  return text.length >= MIN_URL_CHARS
}
