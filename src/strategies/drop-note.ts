// The note for dropped turns: their number, their ref, and the user's words in them.
import type { EntryId, NewEntry } from '../core/edit/change.ts'
import type { EventAt } from '../core/log/event.ts'
import { textOfUserContent } from '../core/view/content.ts'
import { findRoot, type Item, newEntryAt, parseEntryId } from '../core/view/entry.ts'
import { isSaidByUser } from '../core/view/last-request.ts'
import { covered } from '../core/view/refs.ts'
import { estimateTokens } from '../core/window/tokens/estimate.ts'
import { asRef } from './trim.ts'
import { readLines, type UserWord, userWords } from './user-words.ts'

/** What is known about everything dropped so far. */
interface DroppedPart {
  readonly entries: number
  readonly first: string // refs
  readonly last: string
  readonly words: readonly UserWord[]
  /** User messages older than these words. */
  readonly unsaid: number
}

const HEAD = '[Context note, not a request: '
const NOTE =
  /^\[Context note, not a request: ([\d,]{1,20}) entries were left out here, \[ref:([ec][\d.]{1,30})\] to \[ref:([ec][\d.]{1,30})\]/
const UNSAID = /^\[([\d,]{1,20}) earlier messages? of the user (?:is|are) among them\.\]$/m
const WORDS = 'What the user said in them, word for word:'
const STATE = 'What is known of the work:'

/** Only compactions write entries with this label; a brief of `extract` starts similarly. */
export function isDropNote(item: Item, eventAt: EventAt): boolean {
  return NOTE.test(noteText(item.id, eventAt) ?? '')
}

function noteText(id: EntryId, eventAt: EventAt): string | undefined {
  const entry = newEntryAt(id, eventAt)
  if (entry?.type !== 'USER_MESSAGE' || entry.label !== 'brief') return undefined
  return textOfUserContent(entry.data)
}

export interface NoteInput {
  /** The dropped items in context order; earlier notes among them are merged. */
  readonly items: readonly Item[]
  readonly eventAt: EventAt
  readonly maxTokens: number
  /** The state of the work, most important first, as far as there is room. */
  readonly state?: readonly string[]
}

/** Undefined if only gaps are dropped. Exceeds `maxTokens` only if a bare note does. */
export function dropNote({
  items,
  eventAt,
  maxTokens,
  state = [],
}: NoteInput): NewEntry | undefined {
  const parts = items.filter(({ kind }) => kind !== 'gap')
  const [first] = parts
  if (!first) return undefined
  const earlier = parts.flatMap((item) => readNote(item, eventAt) ?? [])
  const own = parts.filter((item) => !isDropNote(item, eventAt))
  const known = {
    entries: own.length + earlier.reduce((sum, { entries }) => sum + entries, 0),
    first: readNote(first, eventAt)?.first ?? firstOriginal(first.id, eventAt),
    last: lastOriginal(parts, eventAt) ?? firstOriginal(first.id, eventAt),
  }
  const head = readHead(known)
  const stated = fitting(state, (maxTokens - estimateTokens(head)) * STATE_SHARE)
  const room = maxTokens - estimateTokens([head, ...stated].join('\n')) - FRAME_TOKENS
  const said = userWords({
    items: own,
    eventAt,
    earlier: { words: earlier.flatMap(({ words }) => words), leftOut: [] },
    maxTokens: Math.max(0, room),
  })
  const unsaid = said.leftOut.length + earlier.reduce((sum, each) => sum + each.unsaid, 0)
  const text = [
    head,
    ...(stated.length > 0 ? [STATE, ...stated] : []),
    ...(unsaid > 0 ? [unsaidLine(unsaid)] : []),
    ...(said.words.length > 0 ? [WORDS, ...readLines({ ...said, leftOut: [] }, 0)] : []),
  ].join('\n')
  return { type: 'USER_MESSAGE', data: text, label: 'brief' }
}

/** The original behind a summary, which may come from an earlier rung and never get an id. */
function firstOriginal(id: EntryId, eventAt: EventAt): EntryId {
  const root = findRoot(id, eventAt)
  return covered(root, eventAt, 1)[0] ?? root
}

function lastOriginal(parts: readonly Item[], eventAt: EventAt): string | undefined {
  for (const item of parts.toReversed()) {
    const root = findRoot(item.id, eventAt)
    if (parseEntryId(root).original) return root
    const note = readNote(item, eventAt)
    if (note) return note.last
  }
  return undefined
}

/** For headings and the line about omissions. */
const FRAME_TOKENS = 40
/** The user's words and the state of the work share the room equally. */
const STATE_SHARE = 0.5

function readHead({
  entries,
  first,
  last,
}: Pick<DroppedPart, 'entries' | 'first' | 'last'>): string {
  const [from, to] = [asRef(first as EntryId), asRef(last as EntryId)]
  return `${HEAD}${entries.toLocaleString('en-US')} entries were left out here, ${from} to ${to}; recall reads them again, by ref or by words.]`
}

function unsaidLine(unsaid: number): string {
  const what = unsaid === 1 ? 'message of the user is' : 'messages of the user are'
  return `[${unsaid.toLocaleString('en-US')} earlier ${what} among them.]`
}

function fitting(lines: readonly string[], maxTokens: number): string[] {
  const taken: string[] = []
  let tokens = FRAME_TOKENS
  for (const line of lines) {
    tokens += estimateTokens(line) + 1
    if (tokens > maxTokens) break
    taken.push(line)
  }
  return taken
}

function readNote(item: Item, eventAt: EventAt): DroppedPart | undefined {
  const text = noteText(item.id, eventAt)
  const found = text === undefined ? null : NOTE.exec(text)
  if (text === undefined || found === null) return undefined
  const [, entries = '0', first = '', last = ''] = found
  const at = text.indexOf(`\n${WORDS}\n`)
  const body = at < 0 ? '' : text.slice(at + WORDS.length + 2)
  return {
    entries: numberIn(entries),
    first,
    last,
    words: body === '' ? [] : body.split(/^(?=\[ref:e\d{1,15}\] )/m).map(wordIn),
    unsaid: numberIn(UNSAID.exec(at < 0 ? text : text.slice(0, at))?.[1] ?? '0'),
  }
}

/** In the form of `readLines`: continuation lines are indented. */
function wordIn(line: string): UserWord {
  const end = line.indexOf('] ')
  return {
    ref: line.slice('[ref:'.length, end),
    text: line
      .slice(end + 2)
      .replace(/\n$/, '')
      .replaceAll('\n  ', '\n'),
  }
}

function numberIn(text: string): number {
  return Number(text.replaceAll(',', ''))
}

/** Entries that stand for others: compactions' texts, and what must not go. */
export function isCarrier(item: Item, eventAt: EventAt): boolean {
  const label = newEntryAt(item.id, eventAt)?.label
  if (label === 'pins') return true
  return (label === 'summary' || label === 'brief') && !isDropNote(item, eventAt)
}

/** Index of the user's newest message, or -1. */
export function lastSaid(items: readonly Item[], eventAt: EventAt): number {
  return items.findLastIndex((item) => isSaidByUser(item, eventAt))
}
