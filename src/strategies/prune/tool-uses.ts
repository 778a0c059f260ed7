// The calls of a context with their results, as prunes look at them.
import type { EntryId } from '../../core/edit/change.ts'
import { readIntent } from '../../core/ledger/dialects.ts'
import type { Intent } from '../../core/ledger/intent.ts'
import { hasFailed, textOfBlocks } from '../../core/ledger/intent.ts'
import type { EventAt } from '../../core/log/event.ts'
import {
  type Block,
  type ToolCall,
  type ToolResult,
  textOfUserContent,
  type UserContent,
} from '../../core/view/content.ts'
import type { Context } from '../../core/view/context.ts'
import { findRoot, type Item, newEntryAt } from '../../core/view/entry.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { type Round, roundsOf } from '../../core/view/seam.ts'

export interface ToolUse {
  readonly at: number // where its result stands
  readonly item: Item
  readonly ref: EntryId // of the original result
  readonly answerRef: EntryId // of the original answer, which has the arguments
  readonly call: ToolCall
  readonly intent: Intent
  readonly result: ToolResult
  readonly text: string // of all its text blocks
  readonly isFailed: boolean
  /** Something of it was left out by an earlier compaction. */
  readonly isElided: boolean
  readonly round: Round
}

export interface PruneView {
  readonly items: readonly Item[]
  readonly eventAt: EventAt
  readonly uses: readonly ToolUse[] // in the order of their results
  /** From here on nothing is touched: the last round, and what came after it. */
  readonly until: number
  readonly later: LaterNames
}

export function pruneView(context: Context, eventAt: EventAt): PruneView {
  const items = context.items.toArray()
  const rounds = roundsOf(items, context.open)
  return {
    items,
    eventAt,
    uses: rounds.flatMap((round) => findUses(round, items, eventAt)),
    until: rounds.at(-1)?.start ?? items.length,
    later: new LaterNames(items, eventAt),
  }
}

function findUses(round: Round, items: readonly Item[], eventAt: EventAt): ToolUse[] {
  const answer = contentOf(round.answer, eventAt)
  const calls = answer?.kind === 'answer' ? answer.calls : []
  return calls
    .flatMap((call) => (round.results.get(call.id) ?? []).map((at) => ({ call, at })))
    .toSorted((a, b) => a.at - b.at)
    .flatMap(({ call, at }) => {
      const item = items[at] as Item
      const content = contentOf(item.id, eventAt)
      if (content?.kind !== 'result') return []
      const { result } = content
      return [
        {
          at,
          item,
          ref: findRoot(item.id, eventAt),
          answerRef: findRoot(round.answer, eventAt),
          call,
          intent: readIntent(call.name, call.arguments),
          result,
          text: result.content.flatMap(({ text }) => text ?? []).join('\n'),
          isFailed: hasFailed(textOfBlocks(result.content), result),
          isElided: newEntryAt(item.id, eventAt) !== undefined,
          round,
        },
      ]
    })
}

/** A result that shows a file as it is. What is in one may all be needed: only whole ones are pruned. */
export function isFileRead({ intent }: ToolUse): boolean {
  if (intent.kind === 'files') return intent.operations.some(({ op }) => op === 'read')
  return (
    intent.kind === 'shell' &&
    intent.steps.some(({ operations }) => operations.some(({ op }) => op === 'read'))
  )
}

// The last use of each name by the user or the agent

/** More of one message, or of the arguments of one call, is not looked at. */
const READ_CHARS = 100_000
const NAME = /[\p{L}\p{N}_./@-]{3,}/gu
const LONGEST_NAME_CHARS = 300

/** Read once, when it is first asked. */
class LaterNames {
  readonly #items: readonly Item[]
  readonly #eventAt: EventAt
  #lastAt: Map<string, number> | undefined

  constructor(items: readonly Item[], eventAt: EventAt) {
    this.#items = items
    this.#eventAt = eventAt
  }

  /** Whether a name in this line was written by someone after the place `at`. */
  usesAny(line: string, at: number): boolean {
    this.#lastAt ??= this.#read()
    const lastAt = this.#lastAt
    for (const name of namesIn(line.slice(0, 4 * LONGEST_NAME_CHARS)))
      if ((lastAt.get(name) ?? -1) > at) return true
    return false
  }

  #read(): Map<string, number> {
    const lastAt = new Map<string, number>()
    for (const [at, item] of this.#items.entries())
      for (const text of authoredTexts(item, this.#eventAt))
        for (const name of namesIn(text.slice(0, READ_CHARS))) lastAt.set(name, at)
    return lastAt
  }
}

function authoredTexts({ id, kind }: Item, eventAt: EventAt): string[] {
  if (kind !== 'user' && kind !== 'answer') return []
  const content = contentOf(id, eventAt)
  if (content?.kind === 'user') return [textOfUserContent(content.content)]
  if (content?.kind !== 'answer') return []
  const { answer, calls } = content
  return [answer.content, ...calls.map(({ arguments: given }) => JSON.stringify(given))]
}

/** Names, not words: with a dot, a slash, a digit or a hump in them; of a path also its last part. */
function namesIn(text: string): string[] {
  const names: string[] = []
  for (const found of text.match(NAME) ?? []) {
    const name = withoutEdges(found.slice(0, LONGEST_NAME_CHARS))
    if (!isTelling(name)) continue
    names.push(name)
    const slash = name.lastIndexOf('/')
    if (slash >= 0 && name.length - slash > 3) names.push(name.slice(slash + 1))
  }
  return names
}

const TELLING = /[./_\d]|\p{Ll}\p{Lu}/u
const ASCII_END = 128

/** As the expression has it. Nearly all names are ASCII, where a look at each character is much faster. */
function isTelling(name: string): boolean {
  let isAfterLower = false
  for (let at = 0; at < name.length; at += 1) {
    const code = name.charCodeAt(at)
    if (code >= ASCII_END) return TELLING.test(name)
    if (code === DOT || code === SLASH || code === UNDERSCORE || isBetween(code, '0', '9'))
      return true
    if (isAfterLower && isBetween(code, 'A', 'Z')) return true
    isAfterLower = isBetween(code, 'a', 'z')
  }
  return false
}

const DOT = 46
const SLASH = 47
const UNDERSCORE = 95

function isBetween(code: number, first: string, last: string): boolean {
  return code >= first.charCodeAt(0) && code <= last.charCodeAt(0)
}

const EDGES = './@-'

function withoutEdges(name: string): string {
  let start = 0
  let end = name.length
  while (start < end && EDGES.includes(name.charAt(start))) start += 1
  while (end > start && EDGES.includes(name.charAt(end - 1))) end -= 1
  return end - start === name.length ? name : name.slice(start, end)
}

/** The interface of a prune rule: finds content of a context that can be shortened */
export type Elision =
  /** This result becomes that. */
  | { readonly use: ToolUse; readonly content: readonly Block[] }
  /** A whole round becomes what the agent said in it, and a line on what it did. */
  | { readonly use: ToolUse; readonly said: string }
  /** Something the user said, without images that are old. */
  | { readonly at: number; readonly words: UserContent }

export interface Prune {
  readonly name: string
  /** Each result is looked at by itself: those that another prune has taken are not shown to it. */
  readonly isSingle?: true
  find(view: PruneView): Elision[]
}

/** A result with another text; its images and the like stay. */
export function withText(use: ToolUse, text: string): Elision {
  const rest = use.result.content.filter((block) => block.text === undefined)
  return { use, content: [{ type: 'text', text }, ...rest] }
}
