// What must not be lost of a thread, as text within so many characters; loads hardly anything, since hooks must start fast
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

/** Words of the user. */
export interface Said {
  readonly text: string
  readonly ref: string // reads the message that they stand in; empty where there is none
}

export interface Brief {
  readonly request?: Said // what a person typed last
  readonly constraints: readonly Said[]
  readonly pins: readonly string[]
  readonly state: readonly string[] // one line for each file, test, plan and command
  /** What a person typed before the latest request, each as its first line, oldest first. */
  readonly earlier: readonly Said[]
}

/** No line takes more than this share of the room: one long pin must not push out everything else. */
const LINE_SHARE = 1 / 4
/** What all messages together may take of it where there are few. */
const WORDS_SHARE = 1 / 2

/**
 * Words of the user as they were typed, within so many characters, with the pins and what is known to bind:
 * the latest ones have their room first, then those that began the session, then the newest. Which of them
 * bind is left to the model that writes the summary: finding it here takes longer than a host should wait.
 * What was pasted is no word of the user, and the conversation has it.
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
 * Within so many characters: the latest request has its room first, then pins, then the newest constraints,
 * then the state, then earlier messages, which are of use only where their refs can be read.
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

/** Its title and the lines that fit, with an empty line behind them; nothing where none does. */
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

/** A ref at its end stays. */
function cutLine(text: string, mostChars: number): string {
  if (text.length <= mostChars) return text
  const [ref = ''] = / \[[\w-]+:e\d+\]$/.exec(text) ?? []
  return `${cutHead(text, mostChars - 1 - ref.length)}…${ref}`
}

/** A long message says at its beginning what it is about, and at its end what it comes down to. */
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

/** The head of a mail: what follows is of whoever wrote it, and nothing says where it ends. */
const MAIL =
  /^(?:(?:From|Von|De): .*@|-{2,} ?(?:Forwarded|Original) message|On .*\d.*(?<! I) wrote:\s*$|Am .*\d.* schrieb .*:\s*$)/i

const HEAD_CHARS = 300

/** A mark stands in its place. */
const GAP = '…'

/** No fences, quotations, tags and mails. Its lines should not be much longer than people write them. */
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

/** Behind the last line of what is set apart here; the line itself where nothing is. */
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

/** One mark for several in a row, and none at the ends. */
function withoutOuterGaps(lines: readonly string[]): string[] {
  const said = lines.filter((line) => line.trim() !== '')
  const isWord = (line: string | undefined) => line !== undefined && line.trim() !== GAP
  const last = said.findLastIndex(isWord)
  return said
    .slice(0, last + 1)
    .filter((line, at) => isWord(line) || (at > 0 && isWord(said[at - 1])))
}
