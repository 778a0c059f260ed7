// Finds model summaries in a context and cuts them to fit, by sections.
import type { EntryId } from '../../core/edit/change.ts'
import type { EventAt, Origin } from '../../core/log/event.ts'
import { ownTexts, textOfUserContent, type UserContent } from '../../core/view/content.ts'
import { findRoot, type Item, newEntryAt, parseEntryId } from '../../core/view/entry.ts'
import { contentOf } from '../../core/view/entry-content.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import { isDropNote } from '../drop-note.ts'
import { mayBeBrief, readBrief, SUMMARY_FRAME_TOKENS } from './earlier-brief.ts'

export interface StandingSummary {
  readonly ref: EntryId
  readonly text: string
}

/** How agents open a summary they hand themselves in the user's role. */
const HANDED_OVER =
  /^\s*(?:This session is being continued from a previous conversation|This is a session continuation summary|Another language model started to solve this problem|Summary of a branch that was left:|Context summary:|<conversation-summary>|The conversation history before this point was compacted |📝 Summary of previous conversation:|<state_snapshot>)/u

/**
 * In order. Code's part of a brief is rebuilt from the log; a model's part stays, unless a model writes it
 * anew.
 */
export function findSummaries(
  items: readonly Item[],
  eventAt: EventAt,
  which: 'all' | 'of others',
): StandingSummary[] {
  return items.flatMap((item) => {
    const text = summaryIn(item, eventAt)?.trim() ?? ''
    if (text === '') return []
    const brief = readBrief(text)
    const prose = brief?.prose !== undefined && which === 'all' ? [brief.prose] : []
    const told = brief ? [...prose, ...brief.summaries] : [text]
    return told.map((each) => ({ ref: item.id, text: each }))
  })
}

function summaryIn(item: Item, eventAt: EventAt): string | undefined {
  if (item.kind !== 'user' && item.kind !== 'answer') return undefined
  const { original, seq } = parseEntryId(findRoot(item.id, eventAt))
  const entry = newEntryAt(item.id, eventAt)
  if (entry?.native !== undefined) return undefined // unchanged
  const isLabelled =
    entry?.label === 'summary' || (entry?.label === 'brief' && !isDropNote(item, eventAt))
  const event = original ? eventAt(seq) : undefined
  if (!isLabelled && event?.type !== 'USER_MESSAGE') return undefined
  const content = contentOf(item.id, eventAt)
  if (content?.kind === 'answer') return content.answer.content
  if (content?.kind !== 'user') return undefined
  const text = textOfUserContent(content.content)
  const origin = event?.type === 'USER_MESSAGE' ? event.origin : undefined
  const isHandedOver = origin === 'model' && HANDED_OVER.test(text)
  if (isLabelled || origin === 'summary' || isHandedOver) return text
  return briefIn(content.content, origin, seq, eventAt)
}

/** A brief in a list of messages, alone or before later text. */
function briefIn(
  content: UserContent,
  origin: Origin | undefined,
  seq: number,
  eventAt: EventAt,
): string | undefined {
  const brief = ownTexts(content).find((text) => readBrief(text) !== undefined)
  if (brief === undefined) return undefined
  const before = Array.from({ length: seq - 1 }, (_, at) => {
    const type = eventAt(at + 1)?.type
    return { speaker: type === 'AGENT_MESSAGE' || type === 'TOOL_RESULT' ? 'agent' : 'user' }
  })
  return mayBeBrief(origin, before) ? brief : undefined
}

/** A summary's share: it says more than single lines. */
const SUMMARIES_SHARE = 0.5

/** Newest first, since it includes the others. Skips what `prose` or a newer one says. */
export function fitSummaries(
  summaries: readonly StandingSummary[],
  roomTokens: number,
  prose = '',
): StandingSummary[] {
  let room = roomTokens * SUMMARIES_SHARE
  const said = new Set(prose.split('\n'))
  const fitted = summaries.toReversed().flatMap((summary) => {
    const rest = withoutLines(summary.text, said)
    const text = rest === undefined ? undefined : fitSummary(rest, room - SUMMARY_FRAME_TOKENS)
    if (text === undefined || isBare(text)) return []
    room -= estimateTokens(text) + SUMMARY_FRAME_TOKENS
    for (const line of text.split('\n')) said.add(line)
    return [{ ...summary, text }]
  })
  return fitted.reverse()
}

/** Headings and omission marks of a cut summary say nothing alone. */
function isBare(text: string): boolean {
  return text
    .split('\n')
    .every((line) => line.trim() === '' || HEADING.test(line) || LEFT_OUT.test(line))
}

const LEFT_OUT = /^\[… \d+ lines left out …\]$/

/** With headings that still have text; undefined if nothing is left. */
function withoutLines(text: string, said: ReadonlySet<string>): string | undefined {
  const isNew = (line: string) => line.trim() === '' || !said.has(line)
  if (text.split('\n').every(isNew)) return text
  const left = sectionsIn(text).flatMap(({ lines }) => {
    const [first = '', ...below] = lines
    const isHeading = HEADING.test(first)
    const kept = (isHeading ? below : lines).filter(isNew)
    if (kept.every((line) => line.trim() === '')) return []
    return isHeading ? [first, ...kept] : kept
  })
  return left.length === 0 ? undefined : left.join('\n')
}

/** A Markdown heading, a numbered one, or a bold line. */
const HEADING =
  /^(?:#{1,4} |\*\*[^*\n]{2,80}\*\*:?\s*$|\d{1,2}\. (?:\*\*)?\p{Lu}[^\n]{2,80}:(?:\*\*)?\s*$)/u

/** Sections by importance, recognised by their headings. */
const RANKS: readonly RegExp[] = [
  /\b(?:next|remaining|pending|to.?do|open|unfinished)\b/i,
  /\b(?:current|state|status|progress|done|now)\b/i,
  /\b(?:goal|request|intent|objective|task|mission)\b/i,
  /\b(?:constraint|preference|decision|rule|instruction|critical|important)\b/i,
  /\b(?:user messages|said|question)\b/i,
  /\b(?:error|problem|issue|fix|learn|discover|finding)/i,
]

interface Section {
  readonly lines: readonly string[]
  readonly rank: number
}

const SECTION_SHARE = 0.4
const NOTE_TOKENS = 16

/** Whole lines in order; undefined without room for a section. */
function fitSummary(text: string, maxTokens: number): string | undefined {
  if (estimateTokens(text) <= maxTokens) return text
  const sections = sectionsIn(text)
  let room = maxTokens - NOTE_TOKENS
  if (room < NOTE_TOKENS) return undefined
  const taken = new Map<Section, number>()
  for (const share of [SECTION_SHARE, 1])
    for (const section of sections.toSorted((a, b) => a.rank - b.rank)) {
      const before = taken.get(section) ?? 0
      const most = Math.min(room, maxTokens * share)
      const { count, tokens } = linesFor(section.lines.slice(before), most)
      taken.set(section, before + count)
      room -= tokens
    }
  const kept = sections.flatMap((section) => shownLines(section, taken.get(section) ?? 0))
  const left = sections.reduce((sum, each) => sum + each.lines.length, 0) - kept.length
  return [...kept, `[… ${left} lines left out …]`].join('\n')
}

/** A heading without text is dropped. */
function shownLines({ lines, rank }: Section, count: number): readonly string[] {
  return count === 1 && lines.length > 1 && rank < RANKS.length + 1 ? [] : lines.slice(0, count)
}

function linesFor(lines: readonly string[], mostTokens: number): { count: number; tokens: number } {
  let tokens = 0
  let count = 0
  for (const line of lines) {
    const cost = estimateTokens(line) + 1
    if (tokens + cost > mostTokens) break
    tokens += cost
    count += 1
  }
  return { count, tokens }
}

function sectionsIn(text: string): Section[] {
  const sections: { lines: string[]; rank: number }[] = []
  for (const line of text.split('\n')) {
    const isHeading = HEADING.test(line)
    if (isHeading || sections.length === 0)
      sections.push({ lines: [line], rank: isHeading ? rankHeading(line) : RANKS.length + 1 })
    else sections.at(-1)?.lines.push(line)
  }
  return sections
}

function rankHeading(heading: string): number {
  const rank = RANKS.findIndex((words) => words.test(heading))
  return rank < 0 ? RANKS.length : rank
}
