// Reads a brief by an earlier compaction: its frame and its parts.
import type { Origin } from '../../core/log/event.ts'
import { MESSAGE_MARK } from '../../core/view/refs.ts'

/** The frame of a brief: its opening and its headings. */
export const OPENING =
  '[Context note, not a request: what happened before, from the log; earlier requests were taken up. Indented: quoted. Refs: recall, or precis show REF --in FILE.]'
/** This one, earlier ones, and those for readers without refs. */
const ANY_OPENING = /^\[Context note, not a request: what happened before, [^\]\n]{1,200}\]/

/** The frame around a summary in a brief. */
export const SUMMARY_FRAME_TOKENS = 32

export const TITLES = [
  'Goal',
  'First request',
  'Summary',
  'Constraints',
  'The user said',
  'State',
  'Now',
  'Decisions',
  'Excerpts',
  'Names',
] as const

export type Title = (typeof TITLES)[number]

/** Follows the ref of a model's summary. */
export const SUMMARY_NOTE =
  'A model wrote this summary before; where what follows it says something else, that is newer.'

/** Precedes a model's part of the brief. */
export const PROSE_NOTE =
  '(A model wrote this part. Code wrote the rest from the log: where the two differ, the log is right.)'

export interface EarlierBrief {
  readonly goal: string | undefined
  readonly summaries: readonly string[]
  /** A model's part of this brief. */
  readonly prose: string | undefined
  /** Binding sentences. */
  readonly constraints: readonly string[]
  readonly said: readonly string[]
  /** Code's statements and selected lines, without headings and foreign refs. */
  readonly rest: string
}

const TITLE_LINE = new RegExp(`^## (${TITLES.join('|')})$`, 'm')
/** The start of a message: its ref, or a mark for readers without refs; formerly a dash. */
const REF = /^\[ref:[ec][\d.@]{1,40}\] /m
const MARK = new RegExp(`^${MESSAGE_MARK}`, 'm')
const DASH = /^- /m
const HAS_DASHES = /^## (?:Goal|The user said)\n- /m
/** Current and former quotation marks, which are set again. */
const QUOTES = /^(?:> | )/gm

/** A list of messages does not tell authors, but before the first answer no tool has spoken. */
export function mayBeBrief(
  origin: Origin | undefined,
  before: readonly { readonly speaker: string }[],
): boolean {
  if (origin === 'client')
    return before.every(({ speaker }) => speaker === 'user' || speaker === 'reminder')
  return origin !== 'tool'
}

/** Undefined if the text is not a brief. Quoted headings are escaped. */
export function readBrief(text: string): EarlierBrief | undefined {
  const [opening] = ANY_OPENING.exec(text) ?? []
  if (opening === undefined) return undefined
  const mark = opening.includes(' Refs') ? REF : HAS_DASHES.test(text) ? DASH : MARK
  const [, ...parts] = text.split(TITLE_LINE)
  const sections = new Map<string, string>()
  for (let at = 0; at < parts.length; at += 2)
    sections.set(parts[at] ?? '', (parts[at + 1] ?? '').trim())
  const section = (title: (typeof TITLES)[number]) => sections.get(title) ?? ''
  const told = messagesIn(section('Summary'), mark)
  return {
    goal: messagesIn(section('Goal') || section('First request'), mark)[0],
    summaries: told
      .filter((text) => !text.startsWith(PROSE_NOTE))
      .map((text) => text.replace(SUMMARY_NOTE, '').trim()),
    prose: told
      .find((text) => text.startsWith(PROSE_NOTE))
      ?.slice(PROSE_NOTE.length)
      .trim(),
    constraints: section('Constraints').split('\n').filter(Boolean),
    said: messagesIn(section('The user said'), mark),
    rest: [section('State'), section('Decisions'), section('Excerpts'), section('Names')]
      .join('\n')
      .replaceAll(new RegExp(mark.source, 'gm'), '')
      .replace(QUOTES, ''),
  }
}

function messagesIn(section: string, mark: RegExp): string[] {
  return section
    .split(mark)
    .map((message) => message.trim())
    .filter(Boolean)
}
