// Reads an earlier brief when it is all that is left: the user's words, and the rest
/** The frame of a brief: its opening and its headings */
export const OPENING =
  '[Context note, not a request: what happened before, from the log; earlier requests were taken up. Refs: recall, or precis show REF --in FILE.]'
/** Of briefs that were written before. */
const FORMER_OPENING =
  '[Context note, not a request: what happened before, word for word from the log. Refs can be read again.]'

export const TITLES = [
  'Goal',
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

const HEADING = new RegExp(`^## (${TITLES.join('|')})$`, 'm')
const REF = /^\[ref:[ec][\d.@]{1,40}\] /m
/** Marks of what is quoted: it is marked again where it is chosen again. */
const QUOTES = /^> /gm
const REFS = new RegExp(REF.source, 'gm')

/** Undefined if the text is no brief. Headings in what it quotes are written another way. */
export function readBrief(text: string): EarlierBrief | undefined {
  if (!text.startsWith(OPENING) && !text.startsWith(FORMER_OPENING)) return undefined
  const [, ...parts] = text.split(HEADING)
  const sections = new Map<string, string>()
  for (let at = 0; at < parts.length; at += 2)
    sections.set(parts[at] ?? '', (parts[at + 1] ?? '').trim())
  const section = (title: (typeof TITLES)[number]) => sections.get(title) ?? ''
  const told = messagesIn(section('Summary'))
  return {
    goal: messagesIn(section('Goal'))[0],
    summaries: told
      .filter((text) => !text.startsWith(PROSE_NOTE))
      .map((text) => text.replace(SUMMARY_NOTE, '').trim()),
    prose: told
      .find((text) => text.startsWith(PROSE_NOTE))
      ?.slice(PROSE_NOTE.length)
      .trim(),
    constraints: section('Constraints').split('\n').filter(Boolean),
    said: messagesIn(section('The user said')),
    rest: [section('State'), section('Decisions'), section('Excerpts'), section('Names')]
      .join('\n')
      .replace(REFS, '')
      .replace(QUOTES, ''),
  }
}

function messagesIn(section: string): string[] {
  return section
    .split(REF)
    .map((message) => message.trim())
    .filter(Boolean)
}
