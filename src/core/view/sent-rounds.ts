// The results of a tool round as they are sent, and the faults of rounds in imported logs
import type { EntryId } from '../edit/change.ts'
import { bearsEntry, type EventAt, UNDONE_COMPACT } from '../log/event.ts'
import { MIN_URL_CHARS } from '../text/fold-base64.ts'
import type {
  Answer,
  Block,
  MessagePart,
  ToolCall,
  ToolResult,
  ToolResultPart,
  ToolStatus,
  UserContent,
} from './content.ts'
import {
  callsAfter,
  callsOfAnswer,
  findRoot,
  type Item,
  newEntryAt,
  parseEntryId,
} from './entry.ts'
import type { Round } from './seam.ts'

/** Of several results for one call the most telling counts; ties keep the first. */
const PRIORITY: Readonly<Record<ToolStatus, number>> = {
  denied: 4,
  failed: 3,
  aborted: 2,
  completed: 1,
}

export function outranks(status: ToolStatus, other: ToolStatus): boolean {
  return PRIORITY[status] > PRIORITY[other]
}

/** What an entry says, whether it is an original or came with a change. */
export type EntryContent =
  | { readonly kind: 'user'; readonly content: UserContent }
  | { readonly kind: 'answer'; readonly answer: Answer; readonly calls: readonly ToolCall[] }
  | { readonly kind: 'result'; readonly result: ToolResult }
  | { readonly kind: 'reminder'; readonly text: string }
  | { readonly kind: 'checkpoint'; readonly id: string }
  | { readonly kind: 'gap' }

/** The content of an entry, from the rows of the log. Undefined if a row is missing. */
export function contentOf(id: EntryId, eventAt: EventAt): EntryContent | undefined {
  const parsed = parseEntryId(id)
  if (!parsed.original) {
    if (eventAt(parsed.seq) === undefined) return undefined
    const entry = newEntryAt(id, eventAt)
    switch (entry?.type) {
      case undefined:
        return { kind: 'gap' }
      case 'USER_MESSAGE':
        return { kind: 'user', content: entry.data }
      case 'AGENT_MESSAGE':
        return {
          kind: 'answer',
          answer: entry.data,
          calls: callsOfAnswer(entry.of, entry.data, eventAt),
        }
      case 'TOOL_RESULT':
        return { kind: 'result', result: shownResult(id, entry.data) }
      case 'SYSTEM_REMINDER':
        return { kind: 'reminder', text: entry.data }
    }
  }
  const event = eventAt(parsed.seq)
  switch (event?.type) {
    case 'USER_MESSAGE':
      return { kind: 'user', content: event.data }
    case 'AGENT_MESSAGE':
      return {
        kind: 'answer',
        answer: event.data,
        calls: callsAfter(event.seq, event.data, eventAt),
      }
    case 'TOOL_RESULT':
      return { kind: 'result', result: shownResult(id, event.data) }
    case 'SYSTEM_REMINDER':
      return { kind: 'reminder', text: event.data }
    case 'CHECKPOINT':
      return { kind: 'checkpoint', id: event.data.id }
    default:
      return undefined
  }
}

/** A result that is shown in part says where the whole is. */
function shownResult(id: EntryId, result: ToolResult): ToolResult {
  const { shown, ...rest } = result
  if (shown === undefined) return result
  const whole: Block = { type: 'text', text: `[The whole result can be read again: ref ${id}]` }
  return { ...rest, content: [...shown, whole] }
}

/** Something in the log that no provider would accept as it is, and what was done about it. */
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
  readonly calls: readonly ToolCall[] // those whose arguments are in the log
  readonly items: readonly Item[]
  readonly open: ReadonlySet<string>
  /** COMPACTIONs in effect. */
  readonly active: readonly number[]
  readonly eventAt: EventAt
}

export interface RoundResults {
  readonly parts: readonly ToolResultPart[]
  readonly paired: readonly number[] // indices of results that belong to a call
  /** One of the calls compacted the thread, and that was undone. */
  readonly isUndone: boolean
  readonly problems: readonly Problem[]
}

/** By call, in the order of the calls. A call that will never have a result is answered here as aborted. */
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
 * Whether the call compacted the thread, and that was undone: the compaction stands behind the call, and
 * before its result where other calls stood beside it.
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

/** Calls that the answer lists twice, or whose row cannot be read. */
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

/** The part with the name of its entry, where a wire may have to shorten it. */
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
