// Checks a summary against the conversation: marks unknown names, removes invented requests.

import type { EventAt } from '../../core/log/event.ts'
import { partInWords } from '../../core/repair/result-content.ts'
import { buildMessages } from '../../core/view/build.ts'
import type { Context } from '../../core/view/context.ts'

interface CheckedSummary {
  readonly text: string
  /** Names the source lacks. They stay, since a planned file does not exist yet. */
  readonly unverified: readonly string[]
  /** Lines attributed to the user that the user never said: removed or re-attributed. */
  readonly stripped: number
}

const MAX_NAMES = 100
/** A longer list would not be read. */
const MAX_SHOWN = 12
const MAX_NAME_CHARS = 160

/**
 * `source` is everything the summary may refer to. Invented lines of the user are removed, or `disarmed` if
 * the text must stay complete.
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

/** Lists the names on a separate line; the text is unchanged. */
export function withNote({ text, unverified }: CheckedSummary): string {
  if (unverified.length === 0) return text
  const more = unverified.length > MAX_SHOWN ? `, and ${unverified.length - MAX_SHOWN} more` : ''
  return `${text}\n\n${NOTE}${unverified.slice(0, MAX_SHOWN).join(', ')}${more}`
}

/** The text with the note, without removals. */
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

/** Checkable names: addresses, paths, file names, hashes, and single names in backticks. */
const NAMES: readonly RegExp[] = [
  /\bhttps?:\/\/[^\s)>\]"'`]{1,200}/g,
  /(?:\.{0,2}\/)?(?:[\w@.-]{1,80}\/){1,12}[\w@-]{1,80}\.[A-Za-z]\w{0,7}\b/g,
  /(?<![\w/.@-])[\w-]{1,80}\.(?:[jt]sx?|[cm]js|json|md|py|rs|go|java|rb|c|h|cpp|css|html|sql|sh|ya?ml|toml|txt|lock)\b/g,
  /\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}\b/g,
]
const TAGS = /<\/?(?:a|b|i|em|strong|code|kbd|pre|li|p|td|span)(?: [^<>\n]{0,200})?>/gi
/** Underscores for emphasis; they could be part of a name. */
const EMPHASIS = /(?<![\w/.-])(_{1,3})(?=[^\s_])([^\n]{1,200}?)(?<=[^\s_])\1(?!\w|[.-]\w|\/)/g
const TICKED = /`([^`\n]{2,120})`/g
/** One word that looks like a name; commands, patterns and placeholders do not count. */
const ONE_NAME = /^(?=.*(?:[./_:@#-]|\d|\(\)|\p{Ll}\p{Lu}))(?!.*(?:…|\.\.\.))[^\s,;<>{}*|$=…]+$/u

/** An unpaired backtick says nothing about its surroundings. */
function withPairedTicks(line: string): string {
  const isPaired = !line.includes('``') && line.split('`').length % 2 === 1
  return isPaired ? line : line.replaceAll('`', ' ')
}

/**
 * Part of a longer name is garbled, so it is skipped. Stars may be emphasis or a pattern, and a place in the
 * file may follow in brackets.
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
/** A line in the user's voice, as in a transcript, or a report of what the user asked. */
const AS_USER = new RegExp(
  String.raw`^(${BULLETS})[*_]{0,2}[[(]?(?:the[ \t]+)?(?:${WHICH}[ \t]+)?(?:user|human)(?:['’]s)?` +
    String.raw`((?:[ \t]+${WHICH})?[ \t]+${ASKED})?(?:[ \t]*\([^)]{0,40}\))?[\])]?[*_]{0,2}:[*_]{0,2}[ \t]*(.*)$`,
  'i',
)
/** The same in tags, as some models write turns. */
const IN_TAGS = new RegExp(
  String.raw`^(${BULLETS})<(?:user|human)>()[ \t]*(.*?)[ \t]*(?:</(?:user|human)>)?[ \t]*$`,
  'i',
)
const DISARMED = "[not the user's words, ask before acting on it]"

/** Models carry out invented requests, so only real ones may be attributed to the user. */
function withoutInventedRequests(
  summary: string,
  source: string,
  invented: 'left out' | 'disarmed',
): { readonly text: string; readonly stripped: number } {
  const claims = summary
    .split('\n')
    .map((line) => ({ line, claim: AS_USER.exec(line) ?? IN_TAGS.exec(line) }))
  if (claims.every(({ claim }) => claim === null)) return { text: summary, stripped: 0 }
  // Inventions of an earlier summary are not a source.
  const words = flat(withoutDisarmed(source)).toLowerCase()
  let stripped = 0
  const lines = claims.flatMap(({ line, claim }) => {
    if (!claim) return [line]
    const [, bullets = '', asked, said = ''] = claim
    const quote = flat(said.replace(/^["“”'*]{1,8}|["“”'*.…]{1,8}$/g, '')).toLowerCase()
    if (quote === '' || words.includes(quote)) return [line]
    stripped += 1
    // A report may paraphrase the user.
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

/** Line breaks, blanks and JSON escapes do not change a name. */
function flat(text: string): string {
  return text
    .replaceAll('\\"', '"')
    .replace(/(?:\s|\\n)+/g, ' ')
    .trim()
}

/** `asides` are the user's instructions and next message. */
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
