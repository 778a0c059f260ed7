// A tool result shown in part: how long it was, its ref, and the lines that were chosen of it.
import type { NewEntry } from '../../core/edit/change.ts'
import type { EventAt } from '../../core/log/event.ts'
import type { ToolResult } from '../../core/view/content.ts'
import { type Item, originalId, parseEntryId, rootOf } from '../../core/view/entry.ts'
import { asRef, resultWith } from '../elision.ts'

export interface OriginalResult {
  readonly seq: number
  readonly result: ToolResult
}

/** A result that is shown in part, with how long it is. */
export interface MaskedResult extends OriginalResult {
  readonly item: Item
  readonly size: string
}

/** As it came, whatever was made of it since; undefined if its row is not at hand. */
export function resultOf({ id }: Item, eventAt: EventAt): OriginalResult | undefined {
  const { seq } = parseEntryId(rootOf(id, eventAt))
  const event = eventAt(seq)
  return event?.type === 'TOOL_RESULT' ? { seq, result: event.data } : undefined
}

/** Looks at the whole of it, which is to be done once. */
export function maskedOf(item: Item, eventAt: EventAt): MaskedResult[] {
  const original = resultOf(item, eventAt)
  return original ? [{ item, ...original, size: sizeOf(original.result) }] : []
}

export function maskedEntry(
  { seq, result, size }: MaskedResult,
  stretches: readonly string[],
): NewEntry {
  const note = `${asRef(originalId(seq))} ${size}${stretches.length === 0 ? '' : ', in part:'}`
  const text = [note, ...stretches].join('\n').toWellFormed()
  return resultWith(result, [{ type: 'text', text }], 'masked')
}

function sizeOf({ content }: ToolResult): string {
  let lines = 0
  let images = 0
  for (const { type, text } of content) {
    if (type === 'image') images += 1
    if (text !== undefined) lines += linesIn(text)
  }
  const parts = [counted(lines, 'line'), ...(images > 0 ? [counted(images, 'image')] : [])]
  return parts.join(', ')
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

function linesIn(text: string): number {
  let count = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
