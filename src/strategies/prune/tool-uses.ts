// A context's calls with their results, for prune rules.
import type { EntryId } from '../../core/edit/change.ts'
import { hasFailed, textOfBlocks } from '../../core/ledger/command-end.ts'
import { readIntent } from '../../core/ledger/dialects.ts'
import type { Intent } from '../../core/ledger/intent.ts'
import type { EventAt } from '../../core/log/event.ts'
import type { Block, ToolCall, ToolResult, UserContent } from '../../core/view/content.ts'
import type { Context } from '../../core/view/context.ts'
import { findRoot, type Item, newEntryAt } from '../../core/view/entry.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { type Round, roundsOf } from '../../core/view/seam.ts'
import { LaterNames } from './later-names.ts'

export interface ToolUse {
  readonly at: number // place of its result
  readonly item: Item
  readonly ref: EntryId // of the original result
  readonly answerRef: EntryId // of the original answer with the arguments
  readonly call: ToolCall
  readonly intent: Intent
  readonly result: ToolResult
  readonly text: string // of all its text blocks
  readonly isFailed: boolean
  /** An earlier compaction shortened it. */
  readonly isElided: boolean
  readonly round: Round
}

export interface PruneView {
  readonly items: readonly Item[]
  readonly eventAt: EventAt
  readonly uses: readonly ToolUse[] // in the order of their results
  /** The last round and everything after it stay unchanged. */
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

/** A result that shows a file. All of it may be needed, so it is pruned whole or not at all. */
export function isFileRead({ intent }: ToolUse): boolean {
  if (intent.kind === 'files') return intent.operations.some(({ op }) => op === 'read')
  return (
    intent.kind === 'shell' &&
    intent.steps.some(({ operations }) => operations.some(({ op }) => op === 'read'))
  )
}

/** The interface of a prune rule: finds content of a context that can be shortened. */
export type Elision =
  /** Replaces this result. */
  | { readonly use: ToolUse; readonly content: readonly Block[] }
  /** A whole round becomes the agent's text and a line on what it did. */
  | { readonly use: ToolUse; readonly said: string }
  /** A user message without its old images. */
  | { readonly at: number; readonly words: UserContent }

export interface Prune {
  readonly name: string
  /** Judges each result alone: results taken by another rule are not passed to it. */
  readonly isSingle?: true
  find(view: PruneView): Elision[]
}

/** A result with another text; images and the like stay. */
export function withText(use: ToolUse, text: string): Elision {
  const rest = use.result.content.filter((block) => block.text === undefined)
  return { use, content: [{ type: 'text', text }, ...rest] }
}
