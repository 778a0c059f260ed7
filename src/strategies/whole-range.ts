// Everything up to now, as covered by strategies that summarise the whole.
import type { StrategyInput } from '../core/edit/strategy.ts'
import type { EventAt } from '../core/log/event.ts'
import { type Item, newEntryAt } from '../core/view/entry.ts'
import { contentOf } from '../core/view/entry-content.ts'
import { openRoundStart, unansweredRoundStart } from '../core/view/seam.ts'
import { unseenStart, weigh } from './range.ts'

export interface WholeRange {
  readonly covered: readonly Item[]
  readonly kept: readonly Item[]
  /** Whether an unfinished task would not be mentioned after the summary. */
  readonly continues: boolean
}

type RangeInput = Pick<StrategyInput, 'context' | 'eventAt' | 'trigger' | 'targetTokens'>

/** A question larger than this share of the target is covered, too. */
const QUESTION_SHARE = 0.5

export function wholeRange({ context, eventAt, trigger, targetTokens }: RangeInput): WholeRange {
  const items = context.items.toArray()
  // Unread results stay: otherwise only the summary would have seen them.
  const open = Math.min(openRoundStart(items, context.open), unseenStart(items))
  if (trigger === 'command' || trigger === 'tool' || trigger === 'import')
    return { covered: items.slice(0, open), kept: items.slice(open), continues: false }
  const question = questionStart(items, eventAt)
  const limit = targetTokens === undefined ? Number.POSITIVE_INFINITY : targetTokens
  const isShort = weigh(items.slice(question)) <= limit * QUESTION_SHARE
  // In the background the turn continues: what it works with must stay.
  const end = Math.min(
    open,
    isShort ? question : items.length,
    trigger === 'background' ? unansweredRoundStart(items) : items.length,
  )
  const continues =
    end === items.length && trigger !== 'background' && isUnderWay(items.at(-1), eventAt)
  return { covered: items.slice(0, end), kept: items.slice(end), continues }
}

/** After the last answer and its results: the user's later messages. */
function questionStart(items: readonly Item[], eventAt: EventAt): number {
  const last = items.findLastIndex(({ kind }) => kind === 'answer' || kind === 'result')
  const rest = items.slice(last + 1)
  const isQuestion = ({ id, kind }: Item) =>
    kind === 'user' && newEntryAt(id, eventAt)?.label !== 'carried'
  return rest.some(isQuestion) ? last + 1 : items.length
}

/** An earlier summary is not a question, and a completed answer waits for the user. */
function isUnderWay(last: Item | undefined, eventAt: EventAt): boolean {
  if (last === undefined) return false
  const content = contentOf(last.id, eventAt)
  if (content?.kind !== 'answer') return !OURS.has(newEntryAt(last.id, eventAt)?.label)
  const { stopReason } = content.answer
  return stopReason === 'aborted' || stopReason === 'error'
}

const OURS: ReadonlySet<string | undefined> = new Set(['summary', 'carried'])
