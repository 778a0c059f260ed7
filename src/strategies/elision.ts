// The marker for removed content, always with its ref
import type { Edit, EntryId, NewEntry } from '../core/edit/change.ts'
import type { EventAt } from '../core/log/event.ts'
import { blockCaption } from '../core/repair/as-text.ts'
import type { Block, ToolResult } from '../core/view/content.ts'
import { type Item, itemOfNewEntry, newId, rootOf } from '../core/view/entry.ts'
import { captionOf } from '../core/view/image-caption.ts'
import { cutHead, cutTail } from '../core/window/tokens/cut.ts'
import { estimateTokens } from '../core/window/tokens/estimate.ts'

export function asRef(id: EntryId): string {
  return `[ref:${id}]`
}

/** The original that an entry stands for: its ref is good for ever. */
export function refOf(id: EntryId, eventAt: EventAt): string {
  return asRef(rootOf(id, eventAt))
}

export interface Rewrite {
  readonly edit: Edit
  readonly saved: number // tokens
}

/** An edit that rewrites one entry, with what it saves. */
export function rewriteOf(item: Item, entry: NewEntry, eventAt: EventAt): Rewrite {
  const rewrite = { ...entry, of: item.id }
  // The name is not known yet, and weighs nothing.
  const { tokens } = itemOfNewEntry(newId(1, 0), rewrite, eventAt)
  return { edit: { covers: [item.id], put: [rewrite] }, saved: item.tokens - tokens }
}

/** The same result with other content. */
export function resultWith(
  { shown: _, ...result }: ToolResult,
  content: readonly Block[],
  label: 'trimmed' | 'masked',
): NewEntry {
  return { type: 'TOOL_RESULT', data: { ...result, content }, label }
}

/** What is not a text in a result, in words. */
export function captionsOf(blocks: readonly Block[], ref: EntryId): string[] {
  return blocks
    .filter((block) => block.text === undefined)
    .map((block) => (block.type === 'image' ? captionOf(block, ref) : blockCaption(block)))
}

/** How far a text may miss its length before it is cut once more. */
const TRIES = 12

/** Head and tail of a text within so many tokens, with what is between them named by its ref. */
export function headAndTail(text: string, maxTokens: number, ref: string): string {
  if (estimateTokens(text) <= maxTokens) return text
  const sample = text.length > SAMPLE_CHARS ? text.slice(0, SAMPLE_CHARS) : text
  let chars = Math.floor((maxTokens * sample.length) / Math.max(1, estimateTokens(sample)))
  for (let tried = 0; tried < TRIES; tried += 1) {
    const capped = cutTo(text, chars, ref)
    if (estimateTokens(capped) <= maxTokens) return capped
    chars = Math.floor(chars * 0.75)
  }
  return cutTo(text, 0, ref)
}

const SAMPLE_CHARS = 64_000

/** The beginning says what it is and the end how it came out: two thirds and one. */
function cutTo(text: string, chars: number, ref: string): string {
  const head = cutHead(text, Math.floor((2 * chars) / 3))
  const tail = cutTail(text, Math.min(Math.floor(chars / 3), text.length - head.length))
  const left = (text.length - head.length - tail.length).toLocaleString('en-US')
  return [head, `[… ${left} characters left out: ${ref} …]`, tail].filter(Boolean).join('\n')
}

/** Rewrites in the order given, until so many tokens are saved. Without a number, all of them. */
export function untilSaved(
  rewrites: readonly Rewrite[],
  wanted = Number.POSITIVE_INFINITY,
): Edit[] {
  const edits: Edit[] = []
  let saved = 0
  for (const rewrite of rewrites) {
    if (saved >= wanted) break
    edits.push(rewrite.edit)
    saved += rewrite.saved
  }
  return edits
}
