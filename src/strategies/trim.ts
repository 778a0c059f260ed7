// `trim-tool-results`: reduces long tool results to three lines and a marker; refs are in the metadata. No
// model.
import type { Edit, EntryId, NewEntry } from '../core/edit/change.ts'
import { immediate, type Strategy } from '../core/edit/strategy.ts'
import type { EventAt } from '../core/log/event.ts'
import type { Block, ToolResult } from '../core/view/content.ts'
import { findRoot, type Item, itemOfNewEntry, newId } from '../core/view/entry.ts'
import { contentOf } from '../core/view/entry-content.ts'
import { blockCaption, buildCaption } from '../core/view/image-caption.ts'
import { unansweredRoundStart } from '../core/view/seam.ts'
import { cutHead, cutTail } from '../core/window/tokens/cut.ts'
import { estimateTokens } from '../core/window/tokens/estimate.ts'

const MAX_LINES = 3
/** A single line may be a whole minified file, so it is cut, too. */
const MAX_LINE_CHARS = 2_000
const TRUNCATION_MESSAGE = '[results truncated to save space.]'

export const trimToolResults: Strategy = immediate({
  id: 'trim-tool-results',
  proposeNow({ context, eventAt, trigger }) {
    const items = context.items.toArray()
    // A person who requests this strategy wants all results trimmed; automatically, unread ones stay.
    const asked = trigger === 'command' || trigger === 'tool' || trigger === 'import'
    const end = asked ? items.length : unansweredRoundStart(items)
    const edits: Edit[] = []
    const refs: EntryId[] = []
    for (const item of items.slice(0, end)) {
      if (item.kind !== 'result') continue
      const content = contentOf(item.id, eventAt)
      if (content?.kind !== 'result') continue
      const data = trimResult(content.result)
      if (data === content.result) continue
      edits.push({
        covers: [item.id],
        put: [{ type: 'TOOL_RESULT', data, label: 'trimmed', of: item.id }],
      })
      refs.push(findRoot(item.id, eventAt))
    }
    return {
      edits,
      metadata: {
        toolResultsModified: edits.length,
        maxLines: MAX_LINES,
        truncationMessage: TRUNCATION_MESSAGE,
        // The marker's wording is fixed and has no room for refs.
        refs,
      },
    }
  },
})

/** The same object if nothing was cut. */
function trimResult(result: ToolResult): ToolResult {
  const content = result.content.map(trimBlock)
  return content.every((block, at) => block === result.content[at])
    ? result
    : { ...result, content }
}

function trimBlock(block: Block): Block {
  if (block.type !== 'text' || !block.text) return block
  const text = trimText(block.text)
  return text === block.text ? block : { ...block, text }
}

/** The first three lines and the marker; already trimmed text stays. */
export function trimText(text: string): string {
  const lines = text.split('\n', MAX_LINES + 1)
  const head = lines.slice(0, MAX_LINES).map((line) => cutHead(line, MAX_LINE_CHARS))
  const whole = lines.length <= MAX_LINES && head.every((line, at) => line === lines[at])
  return whole ? text : [...head, TRUNCATION_MESSAGE].join('\n')
}

/** The marker for removed content, always with its ref. */
export function asRef(id: EntryId): string {
  return `[ref:${id}]`
}

/** The original an entry stands for: its ref stays valid. */
export function readRef(id: EntryId, eventAt: EventAt): string {
  return asRef(findRoot(id, eventAt))
}

export interface Rewrite {
  readonly edit: Edit
  readonly saved: number // tokens
}

/** An edit that rewrites one entry, with its saving. */
export function measureRewrite(item: Item, entry: NewEntry, eventAt: EventAt): Rewrite {
  const rewrite = { ...entry, of: item.id }
  // The id is unknown yet and weighs nothing.
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

/** A result's non-text content, in words. */
export function buildCaptions(blocks: readonly Block[], ref: EntryId): string[] {
  return blocks
    .filter((block) => block.text === undefined)
    .map((block) => (block.type === 'image' ? buildCaption(block, ref) : blockCaption(block)))
}

/** How far a text may miss its length before it is cut again. */
const TRIES = 12

/** Head and tail of a text within a token limit; the middle is named by its ref. */
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

/** Two thirds from the start, which tells the subject, and one from the end, which tells the outcome. */
function cutTo(text: string, chars: number, ref: string): string {
  const head = wholeWords(cutHead(text, Math.floor((2 * chars) / 3)), text)
  const end = cutTail(text, Math.min(Math.floor(chars / 3), text.length - head.length))
  const tail = wholeWordsFrom(end, text)
  const left = (text.length - head.length - tail.length).toLocaleString('en-US')
  return [head, `[… ${left} characters left out: ${ref} …]`, tail].filter(Boolean).join('\n')
}

/** How far a cut moves to a word boundary; longer runs are cut in place. */
const LONGEST_WORD_CHARS = 40
const BLANK = /\s/

function wholeWords(head: string, text: string): string {
  if (head.length === text.length || BLANK.test(text[head.length] ?? ' ')) return head
  for (let at = head.length; at > Math.max(0, head.length - LONGEST_WORD_CHARS); at -= 1)
    if (BLANK.test(head[at - 1] as string)) return head.slice(0, at).trimEnd()
  return head
}

function wholeWordsFrom(tail: string, text: string): string {
  if (tail.length === text.length || BLANK.test(text[text.length - tail.length - 1] ?? ' '))
    return tail
  for (let at = 0; at < Math.min(tail.length, LONGEST_WORD_CHARS); at += 1)
    if (BLANK.test(tail[at] as string)) return tail.slice(at).trimStart()
  return tail
}

/** Rewrites in order until enough is saved; without a limit all of them. */
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
