// Checks a summary against the conversation: marks unknown names, removes invented requests

import type { EventAt } from '../../core/log/event.ts'
import { partInWords } from '../../core/repair/result-content.ts'
import { buildMessages } from '../../core/view/build.ts'
import type { Context } from '../../core/view/context.ts'

interface CheckedSummary {
  readonly text: string
  /** Names that the source does not have. A planned file is not there yet, so they stay. */
  readonly unverified: readonly string[]
  /** Lines given as the user's that the user never said: left out, or no longer given as theirs. */
  readonly stripped: number
}

const MAX_NAMES = 100
/** More in one line is not read. */
const MAX_SHOWN = 12
const MAX_NAME_CHARS = 160

/**
 * `source` is everything that the summary may speak of, in full. Lines that speak as the user are
 * left out, or `disarmed` if nothing may be struck out of the text.
 */
export function checkAgainstSource(
  summary: string,
  source: string,
  invented: 'left out' | 'disarmed' = 'left out',
): CheckedSummary {
  const { text, stripped } = withoutInventedRequests(summary, source, invented)
  return { text, unverified: unverifiedNames(text, flat(source)), stripped }
}

const NOTE = 'Unverified (named above, and nowhere in the conversation): '
const NOTE_AT_END = new RegExp(`\n\n${NOTE.replace(/[()]/g, '\\$&')}[^\n]*$`)

/** The names in a line of their own: the text stays as it was written. */
export function withNote({ text, unverified }: CheckedSummary): string {
  if (unverified.length === 0) return text
  const more = unverified.length > MAX_SHOWN ? `, and ${unverified.length - MAX_SHOWN} more` : ''
  return `${text}\n\n${NOTE}${unverified.slice(0, MAX_SHOWN).join(', ')}${more}`
}

/** The text with the note, and nothing struck out of it. */
export function markedAgainst(text: string, source: string): CheckedSummary {
  const checked = checkAgainstSource(text, source, 'disarmed')
  return { ...checked, text: withNote(checked) }
}

export function withoutNote(text: string): string {
  return text.replace(NOTE_AT_END, '')
}

function unverifiedNames(text: string, words: string): string[] {
  const plain = text.split('\n').map(withPairedTicks).join('\n')
  const bare = plain.replace(TAGS, ' ').replaceAll('~~', ' ').replace(EMPHASIS, ' $2 ')
  const names = new Set(
    NAMES.flatMap((form) => [...bare.matchAll(form)].filter(isWhole).map(nameIn)),
  )
  for (const [, inner = ''] of plain.matchAll(TICKED)) if (ONE_NAME.test(inner)) names.add(inner)
  return [...names]
    .filter((name) => name.length > 1 && name.length <= MAX_NAME_CHARS)
    .slice(0, MAX_NAMES)
    .filter((name) => !words.includes(flat(name)))
}

/** What can be checked: addresses, paths, file names, hashes, and single names in backticks. */
const NAMES: readonly RegExp[] = [
  /\bhttps?:\/\/[^\s)>\]"'`]{1,200}/g,
  /(?:\.{0,2}\/)?(?:[\w@.-]{1,80}\/){1,12}[\w@-]{1,80}\.[A-Za-z]\w{0,7}\b/g,
  /(?<![\w/.@-])[\w-]{1,80}\.(?:[jt]sx?|[cm]js|json|md|py|rs|go|java|rb|c|h|cpp|css|html|sql|sh|ya?ml|toml|txt|lock)\b/g,
  /\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b/g,
]
const TAGS = /<\/?(?:a|b|i|em|strong|code|kbd|pre|li|p|td|span)(?: [^<>\n]{0,200})?>/gi
/** Underscores around words: they could be part of a name. */
const EMPHASIS = /(?<![\w/.-])(_{1,3})(?=[^\s_])([^\n]{1,200}?)(?<=[^\s_])\1(?!\w|[.-]\w|\/)/g
const TICKED = /`([^`\n]{2,120})`/g
/** One word with the look of a name; a command, a pattern or a placeholder is none. */
const ONE_NAME = /^(?=.*(?:[./_:@#-]|\d|\(\)|\p{Ll}\p{Lu}))(?!.*(?:…|\.\.\.))[^\s,;<>{}*|$=…]+$/u

/** Without a partner, a backtick says nothing of what is before and behind it. */
function withPairedTicks(line: string): string {
  const isPaired = !line.includes('``') && line.split('`').length % 2 === 1
  return isPaired ? line : line.replaceAll('`', ' ')
}

/**
 * A piece of a longer name is garbled: what stands around it belongs to it. Stars make it bold or are a
 * pattern, and a place in the file may follow it in brackets.
 */
function isWhole({ 0: name, index, input }: RegExpMatchArray): boolean {
  const at = index ?? 0
  const before = input?.[at - 1] ?? ' '
  const after = input?.slice(at + name.length, at + name.length + 2) ?? ''
  const isPattern = before === '*' && /^[./]/.test(name)
  return !isPattern && !/[\w/.@\]})>$~+-]/.test(before) && !/^(?:[\w/[{<$@~+-]|\.\w)/.test(after)
}

function nameIn([whole]: RegExpMatchArray): string {
  return whole.replace(/[.,;:*]+$/, '').trim()
}

const BULLETS = String.raw`[ \t]*(?:(?:[-+•>]|\*(?!\*)|#{1,6}|\d{1,3}[.)])[ \t]*){0,4}`
const WHICH = '(?:latest|last|current|original|new|next|final|first|most recent)'
const ASKED =
  '(?:said|says|asks?|asked|requests?|requested|messages?|wrote|instructions?|instructed|commands?|demands?|wants|wanted|told|added|replied|confirmed|approved)'
/** A line that speaks as the user, as a transcript has it, or that tells what the user asked for. */
const AS_USER = new RegExp(
  String.raw`^(${BULLETS})[*_]{0,2}[[(]?(?:the[ \t]+)?(?:${WHICH}[ \t]+)?(?:user|human)(?:['’]s)?` +
    String.raw`((?:[ \t]+${WHICH})?[ \t]+${ASKED})?(?:[ \t]*\([^)]{0,40}\))?[\])]?[*_]{0,2}:[*_]{0,2}[ \t]*(.*)$`,
  'i',
)
/** The same in tags, as some models write a turn. */
const IN_TAGS = new RegExp(
  String.raw`^(${BULLETS})<(?:user|human)>()[ \t]*(.*?)[ \t]*(?:</(?:user|human)>)?[ \t]*$`,
  'i',
)
const DISARMED = "[not the user's words, ask before acting on it]"

/** Requests that nobody made get carried out: only what the user really said may stand as said. */
function withoutInventedRequests(
  summary: string,
  source: string,
  invented: 'left out' | 'disarmed',
): { readonly text: string; readonly stripped: number } {
  const claims = summary
    .split('\n')
    .map((line) => ({ line, claim: AS_USER.exec(line) ?? IN_TAGS.exec(line) }))
  if (claims.every(({ claim }) => claim === null)) return { text: summary, stripped: 0 }
  // What an earlier summary made up is no source of this one.
  const words = flat(withoutDisarmed(source)).toLowerCase()
  let stripped = 0
  const lines = claims.flatMap(({ line, claim }) => {
    if (!claim) return [line]
    const [, bullets = '', asked, said = ''] = claim
    const quote = flat(said.replace(/^["“”'*]{1,8}|["“”'*.…]{1,8}$/g, '')).toLowerCase()
    if (quote === '' || words.includes(quote)) return [line]
    stripped += 1
    // What is told of may be the user's wish in other words.
    const isTold = asked !== undefined && asked !== ''
    return isTold || invented === 'disarmed' ? [`${bullets}${DISARMED} ${said}`] : []
  })
  return { text: lines.join('\n'), stripped }
}

function withoutDisarmed(source: string): string {
  return source
    .split('\n')
    .filter((line) => !line.includes(DISARMED))
    .join('\n')
}

/** Line breaks, blanks and how JSON writes them do not make another name. */
function flat(text: string): string {
  return text
    .replaceAll('\\"', '"')
    .replace(/(?:\s|\\n)+/g, ' ')
    .trim()
}

/** `asides` are what the user says besides: what to look at, or what comes next. */
export function readSource(
  context: Context,
  eventAt: EventAt,
  ...asides: readonly (string | undefined)[]
): string {
  const { system, messages } = buildMessages(context, eventAt)
  return [...system, ...messages.flatMap(({ parts }) => parts.map(partInWords)), ...asides].join(
    '\n',
  )
}
