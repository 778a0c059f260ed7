// Checks a summary against the conversation: marks unknown names, removes invented requests

import { withoutHeadings } from '../../core/edit/gate-summary.ts'
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

// Exact facts in a text: numbers, paths, identifiers, addresses and hashes, as they are written.

const LONGEST_CHARS = 160
/** What stands around a word in prose and in markdown. */
const APART = /[\s"'`“”‘’«»()[\]{}<>|,;!?*=。，、；：（）「」]+/u
const EDGES = /^[.:#/@~-]+(?=[\p{L}\p{N}])|[.:#~-]+$/gu
/** Two digits in a row, or a digit beside a letter; a mark that prose does not use; a capital inside. */
const EXACT = /\d{2}|\p{L}\d|\d\p{L}|\w_\w|\w\/\w|\w\.\p{L}|\p{Ll}\p{Lu}/u
/** What our own notes point with is nothing that was said. */
const REF = /^ref:/

export function exactFacts(text: string): Set<string> {
  const facts = new Set<string>()
  for (const word of text.split(APART)) {
    const bare = word.length <= LONGEST_CHARS ? word.replace(EDGES, '') : ''
    if (bare.length > 1 && EXACT.test(bare) && !REF.test(bare)) facts.add(bare)
  }
  return facts
}

/** How many of them stand in these texts, each by itself or in another one. */
export function countKept(facts: ReadonlySet<string>, texts: readonly string[]): number {
  const found = new Set(texts.flatMap((text) => [...exactFacts(text)]))
  let kept = 0
  for (const fact of facts) if (found.has(fact)) kept += 1
  return kept
}

interface SummaryFacts {
  /** As the model wrote it, without what code adds. */
  readonly written: string
  /** The exact facts of what goes. */
  readonly facts: ReadonlySet<string>
  readonly inBrief: number // how many of them a brief of the same size keeps
}

/** With fewer facts than this there is nothing to judge by. */
const LEAST_FACTS = 5
/** Of what a brief keeps; one value may be there by chance. */
const LEAST_SHARE = 0.02
/** Without facts to judge by, only what says nothing at all is of no use. */
const NOTHING =
  /^[\s\p{P}]*(?:nothing(?: new| else)?(?: to (?:add|report|summari[sz]e))?|none|done|ok(?:ay)?|(?:incorporated|summari[sz]ed|updated|folded|merged)(?: (?:everything|it all|all|it))?)[\s\p{P}]*$/iu

/** Goal, reasons, approach and next step are not told in fewer. */
const LEAST_PROSE_WORDS = 5

/** Why it is of no use; undefined where it is of some. */
export function worthless({ written, facts, inBrief }: SummaryFacts): string | undefined {
  const loop = repeatsItself(written)
  if (loop !== undefined) return loop
  const kept = countKept(facts, [written])
  if (kept >= Math.max(1, inBrief * LEAST_SHARE)) return undefined
  if (inBrief >= LEAST_FACTS) return `it keeps ${kept} of ${facts.size} exact facts`
  return NOTHING.test(withoutHeadings(written)) ? 'it says nothing' : undefined
}

/** In fewer lines nothing is said too often. */
const LEAST_LINES = 20
const MOST_REPEATED = 0.5

/** Some models do not find an end, and say the same lines until they are stopped. */
function repeatsItself(written: string): string | undefined {
  const lines = written.split('\n').filter((line) => line.trim() !== '')
  const different = [...new Set(lines)].join('\n').length
  if (lines.length < LEAST_LINES || different > lines.join('\n').length * MOST_REPEATED)
    return undefined
  return `it says the same lines again and again: ${new Set(lines).size} of ${lines.length} are different`
}

/** For what stands beside facts that code has written. */
export function tooFewWords(written: string): string | undefined {
  const words = countWords(withoutHeadings(written))
  return words < LEAST_PROSE_WORDS ? `it has ${words} different words` : undefined
}

/** Different ones; where words are not apart, a character counts as one. */
function countWords(text: string): number {
  const words = text.toLowerCase().match(/\p{Script=Han}|\p{Script=Thai}{3}|[\p{L}\p{M}]{2,}/gu)
  return new Set(words).size
}

/** For a summary of the agent's own, which it can write again: only what is clearly of no use. */
const CLEARLY = 10
const LEAST_OWN_WORDS = 3
/** With so many it is of no use, however many words it has: a plan, a question, an answer to the request. */
const CERTAINLY = 60
const EXAMPLES = 3

export function clearlyWorthless(written: string, facts: ReadonlySet<string>): string | undefined {
  const loop = repeatsItself(written)
  if (loop !== undefined) return loop
  const isLong = countWords(withoutHeadings(written)) >= LEAST_OWN_WORDS
  if (facts.size < (isLong ? CERTAINLY : CLEARLY) || countKept(facts, [written]) > 0)
    return undefined
  const examples = [...facts].slice(-EXAMPLES).join(', ')
  return `it has none of ${facts.size} exact names and values, such as ${examples}`
}
