// What must not be lost of a thread, as text of limited length. Imports hardly anything, because hooks must
// start fast.
import {
  FENCE,
  findPasteStart,
  INLINE,
  isQuoting,
  lastClosings,
  QUOTED,
  TAG,
} from '../../core/constraints/paste-marks.ts'
import { cutHead, cutTail } from '../../core/window/tokens/cut.ts'

/** A text of the user. */
export interface Said {
  readonly text: string
  readonly ref: string // reads the message it is from; may be empty
}

export interface Brief {
  readonly request?: Said // the last thing a person typed
  readonly constraints: readonly Said[]
  readonly pins: readonly string[]
  readonly state: readonly string[] // one line per file, test, plan and command
  /** What a person typed before the latest request, one line each, oldest first. */
  readonly earlier: readonly Said[]
}

/** A line's maximum share of the room: one long pin must not push out the rest. */
const LINE_SHARE = 1 / 4
/** The messages' maximum share of the room if there are few other lines. */
const WORDS_SHARE = 1 / 2

/**
 * The user's words as typed, within a limit, with pins and known constraints. The latest messages take room
 * first, then those that began the session, then the newest. The model that writes the summary decides which
 * of them bind: detecting that here takes longer than a host should wait. Pasted text is omitted, since the
 * conversation has it.
 */
export function renderWords(
  words: readonly string[],
  { constraints, pins }: Pick<Brief, 'constraints' | 'pins'>,
  mostChars: number,
): string {
  const distinct = [...new Set(words.toReversed())]
  const longest = Math.floor(mostChars * Math.max(LINE_SHARE, WORDS_SHARE / distinct.length))
  const [latest = '', ...others] = distinct.map((each) => withoutMiddle(typedPart(each), longest))
  const earlier = others.filter((each) => each !== '')
  const first = earlier.pop()
  const request = latest === '' ? {} : { request: { text: latest, ref: '' } }
  const brief = { ...request, constraints, pins, state: [], earlier: [] }
  const held = renderBrief(brief, mostChars, { withRefs: false, longest })
  const before = writeSection(
    'Earlier messages of the user (keep word for word what still binds)',
    first === undefined ? [] : [first, ...earlier],
    mostChars - held.length - 2,
    longest,
  )
  return `${held}\n\n${before}`.trim()
}

/**
 * Within a limit: the latest request takes room first, then pins, the newest constraints, the state, and
 * earlier messages, which need readable refs.
 */
export function renderBrief(
  brief: Brief,
  mostChars: number,
  {
    withRefs = true,
    longest = Math.floor(mostChars * LINE_SHARE),
  }: { readonly withRefs?: boolean; readonly longest?: number } = {},
): string {
  const { request, constraints, pins, state, earlier } = brief
  const withRef = ({ text, ref }: Said) => (withRefs && ref !== '' ? `${text} [${ref}]` : text)
  const newest = constraints.filter(({ text }) => !pins.includes(text))
  let room = mostChars
  const section = (title: string, lines: readonly string[]) => {
    const text = writeSection(title, lines, room, longest)
    room -= text.length
    return text
  }
  const asked = section('The latest request of the user', request ? [withRef(request)] : [])
  const held = section('What the user asked for that still holds (keep word for word)', [
    ...pins.map((text) => `${text} (pinned)`),
    ...newest.toReversed().map(withRef),
  ])
  const known = section('State of files, tests, plans and commands', state)
  const readable = withRefs ? earlier.filter(({ ref }) => ref !== '') : []
  const before = section('Earlier messages of the user', readable.toReversed().map(withRef))
  return `${held}${asked}${known}${before}`.trimEnd()
}

/** Its title, the lines that fit, and an empty line; nothing if no line fits. */
function writeSection(
  title: string,
  lines: readonly string[],
  room: number,
  longest: number,
): string {
  const head = `${title}:\n`
  let text = head
  for (const line of lines) {
    const shown = `- ${cutLine(oneLine(line), longest)}\n`
    if (text.length + shown.length + 1 <= room) text += shown
  }
  return text === head ? '' : `${text}\n`
}

/** Keeps a ref at its end. */
function cutLine(text: string, mostChars: number): string {
  if (text.length <= mostChars) return text
  const [ref = ''] = / \[[\w-]+:e\d+\]$/.exec(text) ?? []
  return `${cutHead(text, mostChars - 1 - ref.length)}…${ref}`
}

/** A long message states its topic at the start and its conclusion at the end. */
function withoutMiddle(text: string, mostChars: number): string {
  if (text.length <= mostChars) return text
  const room = mostChars - 3
  return `${cutHead(text, (room * 2) / 3)} … ${cutTail(text, room / 3)}`
}

/** More of a line is never shown. */
const LONGEST_LINE_CHARS = 5_000

function typedPart(text: string): string {
  const lines = text.split('\n').map((line) => withoutMiddle(line, LONGEST_LINE_CHARS))
  return oneLine(withoutPastes(lines.join('\n')))
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** The head of a mail: the rest is someone else's text without a clear end. */
const MAIL =
  /^(?:(?:From|Von|De): .*@|-{2,} ?(?:Forwarded|Original) message|On .*\d.*(?<! I) wrote:\s*$|Am .*\d.* schrieb .*:\s*$)/i

const HEAD_CHARS = 300

/** Stands in its place. */
const GAP = '…'

/** Removes fences, quotations, tags and mails. Lines should not be much longer than people write. */
function withoutPastes(text: string): string {
  const lines = text.split(/\r?\n/)
  const closings = text.includes('</') ? lastClosings(lines) : NONE
  const kept: string[] = []
  let index = 0
  let inQuotation = false
  let above = ''
  while (index < lines.length) {
    const line = lines[index] ?? ''
    const end = findEnd(lines, index, closings)
    const start = end > index ? undefined : findPasteStart(line, above)
    inQuotation = isQuoting(line, inQuotation && !FENCE.test(line))
    const typed = end > index || inQuotation ? GAP : line.slice(0, start)
    kept.push(closings === NONE ? typed : typed.replaceAll(INLINE, GAP))
    if (start !== undefined) break
    if (line.trim() !== '') above = line
    index = Math.max(end, index + 1)
  }
  return withoutOuterGaps(kept).join('\n')
}

const NONE: ReadonlyMap<string, number> = new Map()

/** After the last line of the pasted block that starts here; the line itself if none does. */
function findEnd(
  lines: readonly string[],
  index: number,
  closings: ReadonlyMap<string, number>,
): number {
  const line = lines[index] ?? ''
  const fence = FENCE.exec(line)?.[1]
  if (fence !== undefined) {
    let end = index + 1
    while (end < lines.length && !closes(lines[end] ?? '', fence)) end += 1
    return end + 1
  }
  if (QUOTED.test(line)) return index + 1
  if (MAIL.test(line.slice(0, HEAD_CHARS))) return lines.length
  const [, name, other] = TAG.exec(line) ?? []
  if (name === undefined) return index
  const closing = closings.get(`</${name.toLowerCase()}>`) ?? -1
  if (closing > index) return closing + 1
  return closing < index && other === '' ? lines.length : index
}

function closes(line: string, fence: string): boolean {
  return line.includes(fence) && /^\s*([`~])\1+\s*$/.test(line)
}

/** One mark for several in a row, none at the ends. */
function withoutOuterGaps(lines: readonly string[]): string[] {
  const said = lines.filter((line) => line.trim() !== '')
  const isWord = (line: string | undefined) => line !== undefined && line.trim() !== GAP
  const last = said.findLastIndex(isWord)
  return said
    .slice(0, last + 1)
    .filter((line, at) => isWord(line) || (at > 0 && isWord(said[at - 1])))
}
