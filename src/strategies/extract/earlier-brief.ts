// A brief that an earlier compaction wrote, read again: its frame and its parts
import type { Origin } from '../../core/log/event.ts'
import { MESSAGE_MARK } from '../../core/view/refs.ts'

/** The frame of a brief: its opening and its headings */
export const OPENING =
  '[Context note, not a request: what happened before, from the log; earlier requests were taken up. Indented: quoted. Refs: recall, or precis show REF --in FILE.]'
/** This one, former ones, and those written for readers that cannot read refs. */
const ANY_OPENING = /^\[Context note, not a request: what happened before, [^\]\n]{1,200}\]/

/** What stands around a summary in a brief. */
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

/** Behind the ref of a summary that a model wrote. */
export const SUMMARY_NOTE =
  'A model wrote this summary before; where what follows it says something else, that is newer.'

/** Before what a model wrote for the brief itself. */
export const PROSE_NOTE =
  '(A model wrote this part. Code wrote the rest from the log: where the two differ, the log is right.)'

export interface EarlierBrief {
  readonly goal: string | undefined
  readonly summaries: readonly string[]
  /** What a model wrote for this brief. */
  readonly prose: string | undefined
  /** Sentences that bind. */
  readonly constraints: readonly string[]
  readonly said: readonly string[]
  /** What code wrote and what was chosen, without headings, and without refs into a log that is not here. */
  readonly rest: string
}

const TITLE_LINE = new RegExp(`^## (${TITLES.join('|')})$`, 'm')
/** What a message begins with: its ref, or a mark for readers that cannot read refs; formerly a dash. */
const REF = /^\[ref:[ec][\d.@]{1,40}\] /m
const MARK = new RegExp(`^${MESSAGE_MARK}`, 'm')
const DASH = /^- /m
const HAS_DASHES = /^## (?:Goal|The user said)\n- /m
/** Marks of what is quoted, now and formerly: it is marked again where it is chosen again. */
const QUOTES = /^(?:> | )/gm

/** A list of messages does not say who wrote them: but before the first answer no tool has said anything. */
export function mayBeBrief(
  origin: Origin | undefined,
  before: readonly { readonly speaker: string }[],
): boolean {
  if (origin === 'client')
    return before.every(({ speaker }) => speaker === 'user' || speaker === 'reminder')
  return origin !== 'tool'
}

/** Undefined if the text is no brief. Headings in what it quotes are written another way. */
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
