// The results of a tool round as they are sent, and the faults of rounds in imported logs
import type { EntryId } from '../edit/change.ts'
import type { EventAt } from '../log/event.ts'
import type { ToolCall, ToolResult, ToolStatus } from './content.ts'
import type { Item } from './entry.ts'
import { contentOf, withRef } from './entry-content.ts'
import type { ToolResultPart } from './message.ts'
import type { Round } from './seam.ts'

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

export interface RoundInput {
  readonly round: Round
  readonly calls: readonly ToolCall[] // those whose arguments are in the log
  readonly items: readonly Item[]
  readonly open: ReadonlySet<string>
  readonly eventAt: EventAt
}

export interface RoundResults {
  readonly parts: readonly ToolResultPart[]
  readonly paired: readonly number[] // indices of results that belong to a call
  readonly problems: readonly Problem[]
}

/** By call, in the order of the calls. A call that will never have a result is answered here as aborted. */
export function roundResults({ round, calls, items, open, eventAt }: RoundInput): RoundResults {
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
      const { content, status } = best.result
      const part: ToolResultPart = { type: 'tool_result', id: call, content, status }
      parts.push(withRef(part, (items[best.index] as Item).id))
      continue
    }
    const waiting = open.has(call) && round.end > items.length
    problems.push(unanswered(round.answer, call, waiting))
    if (!waiting)
      parts.push({ type: 'tool_result', id: call, content: [NO_RESULT], status: 'aborted' })
  }
  return { parts, paired, problems }
}

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
