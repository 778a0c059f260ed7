// `json-rows`: shortens long JSON lists and tables to sample rows and a count
// `repeated-results` and `old-images`: repeated output, and all but the newest images.

import type { EntryId } from '../../core/edit/change.ts'
import type { Block, Part } from '../../core/view/content.ts'
import { findRoot } from '../../core/view/entry.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { buildCaption } from '../../core/view/images.ts'
import { lastSaid } from '../drop-note.ts'
import { asRef } from '../trim.ts'
import { keepLines } from './logs.ts'
import {
  type Elision,
  isFileRead,
  type Prune,
  type PruneView,
  type ToolUse,
  withText,
} from './tool-uses.ts'

// Finds the rows of lists in a JSON text in one pass, without parsing it

/** From the first character of a row up to, not including, what is behind its last. */
type Row = readonly [start: number, end: number]

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44]
const [OPEN_LIST, CLOSE_LIST, OPEN_FIELDS, CLOSE_FIELDS] = [91, 93, 123, 125]

/**
 * The list that the text is, or those right within the object that it is. Empty if the brackets do not
 * match: then it is something else.
 */
function jsonLists(text: string): Row[][] {
  const start = text.search(/\S/)
  const first = start < 0 ? 0 : text.charCodeAt(start)
  if (first !== OPEN_LIST && first !== OPEN_FIELDS) return []
  const listDepth = first === OPEN_LIST ? 1 : 2
  const lists: Row[][] = []
  let rows: Row[] | undefined
  let rowStart = 0
  let depth = 0
  const endRow = (at: number) => {
    const [from, to] = trimmed(text, rowStart, at)
    if (to > from) rows?.push([from, to])
    rowStart = at + 1
  }
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === OPEN_LIST || code === OPEN_FIELDS) {
      depth += 1
      if (depth !== listDepth || code !== OPEN_LIST) continue
      rows = []
      rowStart = at + 1
    } else if (code === CLOSE_LIST || code === CLOSE_FIELDS) {
      if (depth === listDepth && rows) {
        endRow(at)
        lists.push(rows)
        rows = undefined
      }
      depth -= 1
      if (depth === 0) return text.slice(at + 1).trim() === '' ? lists : []
    } else if (code === COMMA && depth === listDepth) endRow(at)
  }
  return []
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE)
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at
}

function trimmed(text: string, start: number, end: number): Row {
  let [from, to] = [start, end]
  while (from < to && isBlank(text.charCodeAt(from))) from += 1
  while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1
  return [from, to]
}

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13)
}

const LEAST_CHARS = 1_200
const SHOWN_ROWS = 3
const LEAST_ROWS = 12

export const jsonRows: Prune = {
  name: 'json-rows',
  isSingle: true,
  find(view) {
    return view.uses.flatMap((use) => {
      if (use.at >= view.until || use.isElided || use.text.length < LEAST_CHARS || isFileRead(use))
        return []
      const text = shorterJson(use, view) ?? shorterTable(use, view)
      return text === undefined ? [] : [withText(use, text)]
    })
  },
}

/** Rows are cut out of the text as it stands, so that what stays is verbatim. */
function shorterJson({ text, at, ref }: ToolUse, { later }: PruneView): string | undefined {
  const pieces: string[] = []
  let from = 0
  for (const rows of jsonLists(text)) {
    if (rows.length < LEAST_ROWS) continue
    const gone = rows.filter(
      ([start, end], index) => index >= SHOWN_ROWS && !later.usesAny(text.slice(start, end), at),
    )
    if (gone.length < SHOWN_ROWS) continue
    for (const [start, end] of gone) {
      pieces.push(text.slice(from, start))
      from = behindComma(text, end)
    }
    const comma = text[from] === ']' ? '' : ', '
    pieces.push(`"… ${gone.length.toLocaleString('en-US')} rows left out …"${comma}`)
  }
  if (pieces.length === 0) return undefined
  return [...pieces, text.slice(from), `\n[The whole: ${asRef(ref)}]`].join('')
}

/** So that no comma is left where a row was. */
function behindComma(text: string, end: number): number {
  const next = /\s*,\s*/y
  next.lastIndex = end
  return next.test(text) ? next.lastIndex : end
}

/** Lines with the same number of the same separator, one row each. */
function shorterTable(use: ToolUse, view: PruneView): string | undefined {
  const lines = use.text.split('\n')
  if (lines.length < LEAST_ROWS) return undefined
  const isRow = tableRows(lines)
  if (isRow === undefined) return undefined
  const isKept = (line: string, at: number) =>
    !isRow(at) || isEdge(isRow, at) || view.later.usesAny(line, use.at)
  return keepLines(lines, isKept, asRef(use.ref))
}

const SEPARATORS = ['|', '\t', ','] as const

function tableRows(lines: readonly string[]): ((at: number) => boolean) | undefined {
  for (const separator of SEPARATORS) {
    const counts = lines.map((line) => readCount(separator, line.slice(0, 2_000)))
    const most = commonest(counts.filter((count) => count >= 2))
    if (most && most.times >= LEAST_ROWS && 2 * most.times > lines.length)
      return (at) => counts[at] === most.count
  }
  return undefined
}

function readCount(separator: string, line: string): number {
  let count = 0
  for (let at = line.indexOf(separator); at >= 0; at = line.indexOf(separator, at + 1)) count += 1
  return count
}

function commonest(counts: readonly number[]): { count: number; times: number } | undefined {
  const times = new Map<number, number>()
  for (const count of counts) times.set(count, (times.get(count) ?? 0) + 1)
  const [first] = [...times].sort(([, a], [, b]) => b - a)
  return first && { count: first[0], times: first[1] }
}

/** The heading and the first rows of a table, and its last. */
function isEdge(isRow: (at: number) => boolean, at: number): boolean {
  return !isRow(at + 1) || !isRow(at - 1) || !isRow(at - 2) || !isRow(at - SHOWN_ROWS)
}

const LEAST_REPEATED_CHARS = 200
/** From so many calls on it is someone who waits for something. */
const POLLS = 3

export const repeatedResults: Prune = {
  name: 'repeated-results',
  find({ uses, until }) {
    const keys = uses.map(callKey)
    const polled = pollsIn(keys)
    const later = new Map<string, EntryId>()
    const elisions: Elision[] = []
    for (let index = uses.length - 1; index >= 0; index -= 1) {
      const use = uses[index] as ToolUse
      const { text, call } = use
      const callText = keys[index] as string
      if (
        text.length < LEAST_REPEATED_CHARS ||
        use.result.content.some((block) => block.text === undefined)
      )
        continue
      const isPoll = polled.has(callText)
      const key = isPoll ? `${callText}\n${text.replace(/\d+/g, '0')}` : text
      const ref = later.get(key)
      if (ref === undefined) later.set(key, use.ref)
      else if (use.at < until) {
        const what = isPoll ? 'but for numbers the same' : 'the same'
        const line = `[Result of ${call.name}: ${what} again later ${asRef(ref)}; here: ${asRef(use.ref)}]`
        elisions.push(withText(use, line))
      }
    }
    return elisions
  },
}

function pollsIn(keys: readonly string[]): Set<string> {
  const counts = new Map<string, number>()
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1)
  return new Set([...counts].flatMap(([key, count]) => (count >= POLLS ? [key] : [])))
}

function callKey({ call }: ToolUse): string {
  return `${call.name} ${JSON.stringify(call.arguments)}`
}

const NEWEST = 3

/**
 * `old-images`: of many images the newest stay; the others become a caption, under which they can
 * be seen again.
 */
export const oldImages: Prune = {
  name: 'old-images',
  find(view) {
    const { items, eventAt } = view
    const uses = new Map(view.uses.map((use) => [use.at, use]))
    const newest = lastSaid(items, eventAt)
    const elisions: Elision[] = []
    let seen = 0
    for (let at = items.length - 1; at >= 0; at -= 1) {
      const use = uses.get(at)
      const images = use ? use.result.content.filter(isImage).length : imagesSaid(view, at).length
      const isOld = seen >= NEWEST && at < view.until && at !== newest
      seen += images
      if (images === 0 || !isOld) continue
      if (use)
        elisions.push({ use, content: use.result.content.map((block) => caption(block, use.ref)) })
      else elisions.push({ at, words: captioned(view, at) })
    }
    return elisions
  },
}

function isImage(part: Block | Part): boolean {
  return part.type === 'image'
}

function caption(block: Block, ref: string): Block {
  return isImage(block) ? { type: 'text', text: buildCaption(block, ref) } : block
}

function imagesSaid({ items, eventAt }: PruneView, at: number): readonly Part[] {
  return partsAt({ items, eventAt }, at).filter(isImage)
}

function captioned({ items, eventAt }: PruneView, at: number): readonly Part[] {
  const ref = findRoot(items[at]?.id ?? 'e1', eventAt)
  return partsAt({ items, eventAt }, at).map((part) =>
    part.type === 'image' ? { type: 'text', text: buildCaption(part.media, ref) } : part,
  )
}

function partsAt(
  { items, eventAt }: Pick<PruneView, 'items' | 'eventAt'>,
  at: number,
): readonly Part[] {
  const item = items[at]
  const content = item?.kind === 'user' ? contentOf(item.id, eventAt) : undefined
  return content?.kind === 'user' && typeof content.content !== 'string' ? content.content : []
}
