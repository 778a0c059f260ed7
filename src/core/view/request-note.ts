// The text of a compaction's note: what is answered, and the user's requests word for word.
import type { NewEntry, Put } from '../edit/change.ts'
import { cutHead, cutTail } from '../window/tokens/cut.ts'
import { estimateTokens } from '../window/tokens/estimate.ts'
import { textOfUserContent } from './content.ts'
import { isNewEntry } from './entry.ts'

/** One request in a note. */
export interface Section {
  readonly ref: string // of the message
  readonly text: string
  /** The newest one, at the end of the note. */
  readonly isLast: boolean
}

export interface Note {
  /** Everything before the requests. */
  readonly head: string
  readonly sections: readonly Section[]
  /** Everything up to this request is answered. */
  readonly answered?: Answered
}

const ANSWERED = 'Requests are answered up to and including'
const LAST = 'The last request of the user, word for word'
const EARLIER = 'An earlier request of the user that is still open, word for word'
/** With a thread before it, if it is another one. */
const REF = String.raw`\[ref:((?:[^\s\]]{1,250}:)?[ec][\d.]{1,30})\]`
const HEADING = `(?:${LAST}|${EARLIER}) ${REF}(?: \\((\\d{1,9}) characters\\))?:\\n`
const FIRST = new RegExp(`^${HEADING}`, 'm')
const NEXT = new RegExp(HEADING, 'y')
const STATUS = new RegExp(`^${ANSWERED} ${REF}(?: \\(“(.{1,90}?)”\\): )?`, 'u')

/** The start of a compaction's note. */
const NOTE_HEAD = '[Context note, not a new request: '

/** The start of a note without facts: with the removed request, so that two notes differ. */
export function writeHead(ref: string | undefined): string {
  const what = ref === undefined ? 'stood here' : `stood around [ref:${ref}]`
  return `${NOTE_HEAD}what ${what} was compacted. recall reads it again, by ref or by words.]`
}

export function isNote(text: string): boolean {
  return text.startsWith(NOTE_HEAD)
}

/** An earlier request states its length, so nothing in it reads as a heading. */
export function readNote(text: string): Note {
  const sections: Section[] = []
  let found = FIRST.exec(text)
  const head = text.slice(0, found?.index)
  while (found) {
    const [heading, ref = '', length] = found
    const start = found.index + heading.length
    const end = length === undefined ? text.length : start + Number(length)
    const next = length === undefined ? null : headingAt(text, end + BETWEEN.length)
    const isWhole = end === text.length || (next && text.startsWith(BETWEEN, end))
    sections.push({
      ref,
      text: isWhole ? text.slice(start, end) : text.slice(start),
      isLast: heading.startsWith(LAST),
    })
    found = isWhole ? next : null
  }
  const [, ref, short] = STATUS.exec(head.trimEnd().split(BETWEEN).at(-1) ?? '') ?? []
  const answered = ref === undefined ? undefined : { ref, ...(short && { text: short }) }
  return { head, sections, ...(answered && { answered }) }
}

function headingAt(text: string, at: number): RegExpExecArray | null {
  NEXT.lastIndex = at
  return NEXT.exec(text)
}

const BETWEEN = '\n\n'

export function writeSections(sections: readonly Section[]): string {
  return sections
    .map(({ ref, text, isLast }) =>
      isLast
        ? `${LAST} [ref:${ref}]:\n${text}`
        : `${EARLIER} [ref:${ref}] (${text.length} characters):\n${text}`,
    )
    .join(BETWEEN)
}

/** A note with only its part on requests. */
export function withoutFacts(text: string): string {
  const { head, sections } = readNote(text)
  const status = head.trimEnd().split(BETWEEN).at(-1) ?? ''
  const parts = [
    writeHead(sections.at(-1)?.ref),
    STATUS.test(status) ? status : '',
    writeSections(sections),
  ]
  return parts.filter(Boolean).join(BETWEEN)
}

const IS_STATUS = new RegExp(`^(?:${ANSWERED}|The requests? \\[ref:)`)

/** What a note says is answered; may be empty. */
export function statusIn(text: string): string {
  const last = readNote(text).head.trimEnd().split(BETWEEN).at(-1) ?? ''
  return IS_STATUS.test(last) ? last : ''
}

export function withoutStatus(text: string): string {
  const { head, sections } = readNote(text)
  const left = head.trimEnd().split(BETWEEN).slice(0, -1)
  return [...left, writeSections(sections)].filter(Boolean).join(BETWEEN)
}

/** An answered request; with its text only if its ref does not identify it. */
export interface Answered {
  readonly ref: string
  readonly text?: string
}

/** How far the requests are answered; empty if unknown. */
export function writeStatus(answered: Answered | undefined, open: readonly string[]): string {
  const [first, last] = [open[0], open.at(-1)]
  const lines = [
    ...(answered === undefined
      ? []
      : [`${ANSWERED} ${shortRequest(answered)}: do not carry them out again.`]),
    ...(first === undefined
      ? []
      : first === last
        ? [`The request [ref:${first}] is not answered yet.`]
        : [`The requests [ref:${first}] to [ref:${last}] are not answered yet.`]),
  ]
  return lines.join(' ')
}

const QUOTED_CHARS = 80

function shortRequest({ ref, text }: Answered): string {
  if (text === undefined) return `[ref:${ref}]`
  const line = text.trim().replaceAll(/\s+/g, ' ').toWellFormed()
  const isShort = line.length <= QUOTED_CHARS
  return `[ref:${ref}] (“${isShort ? line : `${cutHead(line, QUOTED_CHARS - 1)}…`}”)`
}

const MOST_TOKENS = 8_000
const LEAST_TOKENS = 200
/** Divides the target, and what is removed. */
const SHARE = 4

/** How much of the requests a note may show. */
export function requestRoom(goesTokens: number, targetTokens?: number): number {
  const room = Math.min(goesTokens / 2, (targetTokens ?? Number.POSITIVE_INFINITY) / SHARE)
  return Math.floor(Math.max(LEAST_TOKENS, Math.min(MOST_TOKENS, room)))
}

/** At most half of a target. */
export function hasRoomForAll(targetTokens = Number.POSITIVE_INFINITY): boolean {
  return targetTokens >= 2 * LEAST_TOKENS
}

/** Minimum size of an earlier request with its heading. */
const EACH_TOKENS = 60
const HEADING_TOKENS = 25

/**
 * Cuts requests to the note's room. The newest gets room first, then the oldest, which began the task;
 * between them the oldest are dropped if necessary.
 */
export function fitSections(sections: readonly Section[], maxTokens: number): Section[] {
  const [oldest, ...others] = sections
  const newest = others.pop()
  const order = [newest, oldest, ...others.toReversed()].filter((one) => one !== undefined)
  const fitted = new Map<Section, Section>()
  let room = maxTokens
  for (const [index, section] of order.entries()) {
    if (index > 1 && room < EACH_TOKENS) break
    const reserved = Math.min(room / 2, EACH_TOKENS * (order.length - 1 - index))
    const text = capped(section.text, Math.max(room - reserved, HEADING_TOKENS), section.ref)
    fitted.set(section, { ...section, text })
    room -= estimateTokens(text) + HEADING_TOKENS
  }
  return sections.flatMap((section) => fitted.get(section) ?? [])
}

const TRIES = 12

function capped(text: string, maxTokens: number, ref: string): string {
  let chars = text.length
  for (let tried = 0; tried < TRIES; tried += 1) {
    const tokens = estimateTokens(text.slice(0, chars))
    if (tokens <= maxTokens) break
    chars = Math.floor(chars * Math.min(0.9, maxTokens / tokens))
  }
  if (chars >= text.length) return text
  const [head, tail] = [cutHead(text, (2 * chars) / 3), cutTail(text, chars / 3)]
  const left = text.length - head.length - tail.length
  return `${head}\n[… ${left.toLocaleString('en-US')} ${leftOut(ref)}\n${tail}`
}

function leftOut(ref: string): string {
  return `characters left out: [ref:${ref}] …]`
}

/** A note for a derived thread, where the same refs mean something else. */
export function noteElsewhere(text: string, threadId: string): string {
  const { head, sections } = readNote(text)
  const there = sections.map(({ ref, text: request, isLast }): Section => {
    const marker = leftOut(ref)
    return {
      ref: refsElsewhere(`[ref:${ref}]`, threadId).slice('[ref:'.length, -1),
      text: request.replace(marker, () => refsElsewhere(marker, threadId)),
      isLast,
    }
  })
  return `${refsElsewhere(head, threadId)}${writeSections(there)}`
}

const BARE_REF = /(?<=\[ref:|\(such as )[ec]\d[\d.]*(?=[\])])/g

export function refsElsewhere(text: string, threadId: string): string {
  return text.replaceAll(BARE_REF, (ref) => `${threadId}:${ref}`)
}

/** After the summary or brief, before what is kept. */
export function withCarried(put: readonly Put[], text: string): Put[] {
  const summary = put.findLastIndex(
    (one) => isNewEntry(one) && (one.label === 'summary' || one.label === 'brief'),
  )
  return put.toSpliced(summary + 1, 0, carriedEntry(text))
}

export function carriedEntry(text: string): NewEntry {
  return { type: 'USER_MESSAGE', data: text, label: 'carried' }
}

export function isCarried(put: Put): boolean {
  return isNewEntry(put) && put.label === 'carried'
}

/** The text of a new user-role entry. */
export function textIn(put: Put): string {
  return isNewEntry(put) && put.type === 'USER_MESSAGE' ? textOfUserContent(put.data) : ''
}
