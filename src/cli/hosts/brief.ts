// What must not be lost of a thread: the user's constraints and pins, and the state of files, tests and commands
import type { Composed } from '../../compose.ts'
import { findConstraints } from '../../core/constraints/find-constraints.ts'
import { ledgerReducer } from '../../core/ledger/ledger.ts'
import { type LedgerFile, ledgerFiles, ledgerLines } from '../../core/ledger/ledger-lines.ts'
import type { ThreadEvent } from '../../core/log/event.ts'
import { refInThread } from '../../core/search/archive.ts'
import { originalId } from '../../core/view/entry.ts'
import { typedTexts } from '../../core/view/typed-text.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import { readEvents } from '../session/session.ts'

export interface Constraint {
  readonly text: string
  readonly ref: string // reads the message it stands in
}

export interface Brief {
  readonly request?: { readonly text: string; readonly ref: string } // what a person typed last
  readonly constraints: readonly Constraint[]
  readonly pins: readonly string[]
  readonly state: readonly string[] // one line for each file, test, plan and command
}

const STATE_LINES = 40
const REQUEST_CHARS = 1_000

export async function buildBrief(
  { store, threads }: Pick<Composed, 'store' | 'threads'>,
  threadId: string,
): Promise<Brief> {
  const events = await readEvents(store, threadId)
  const pins = (await threads.pins(threadId)).flatMap(({ text }) => text ?? [])
  return briefOf(events, pins, (seq) => refInThread(threadId, originalId(seq)))
}

export function briefOf(
  events: readonly ThreadEvent[],
  pins: readonly string[],
  refOf: (seq: number) => string,
): Brief {
  const typed = events.flatMap((event) => {
    const text = event.type === 'USER_MESSAGE' ? typedTexts(event).join('\n').trim() : ''
    return text === '' ? [] : [{ text, ref: refOf(event.seq) }]
  })
  const request = typed.at(-1)
  return {
    ...(request && { request: { ...request, text: cutHead(request.text, REQUEST_CHARS) } }),
    constraints: constraintsIn(typed),
    pins,
    state: ledgerLines(ledgerOf(events), STATE_LINES),
  }
}

/** Each once, where it was said last. */
function constraintsIn(typed: readonly Constraint[]): Constraint[] {
  const found = new Map<string, Constraint>()
  for (const { text, ref } of typed)
    for (const constraint of findConstraints(text)) {
      found.delete(constraint)
      found.set(constraint, { text: constraint, ref })
    }
  return [...found.values()]
}

export async function filesOf(
  { store }: Pick<Composed, 'store'>,
  threadId: string,
): Promise<LedgerFile[]> {
  return ledgerFiles(ledgerOf(await readEvents(store, threadId)))
}

function ledgerOf(events: readonly ThreadEvent[]) {
  return events.reduce(ledgerReducer.step, ledgerReducer.init())
}

/** No line takes more than this share of the room: one long pin must not push out everything else. */
const LINE_SHARE = 1 / 4

/** Within so many characters: the latest request has its room first, then pins, then the newest constraints, then the state. */
export function renderBrief(brief: Brief, mostChars: number): string {
  const { request, constraints, pins, state } = brief
  const newest = constraints.map(({ text }) => text).filter((text) => !pins.includes(text))
  const longest = Math.floor(mostChars * LINE_SHARE)
  let room = mostChars
  const section = (title: string, lines: readonly string[]) => {
    const text = sectionOf(title, lines, room, longest)
    room -= text.length
    return text
  }
  const asked = section(
    'The latest request of the user',
    request ? [`${request.text}${request.ref === '' ? '' : ` [${request.ref}]`}`] : [],
  )
  const held = section('What the user asked for that still holds (keep word for word)', [
    ...pins,
    ...newest.toReversed(),
  ])
  const known = section('State of files, tests, plans and commands', state)
  return `${held}${asked}${known}`.trimEnd()
}

/** Its title and the lines that fit, with an empty line behind them; nothing where none does. */
function sectionOf(title: string, lines: readonly string[], room: number, longest: number): string {
  const head = `${title}:\n`
  let text = head
  for (const line of lines) {
    const shown = `- ${cutLine(oneLine(line), longest)}\n`
    if (text.length + shown.length + 1 <= room) text += shown
  }
  return text === head ? '' : `${text}\n`
}

function cutLine(text: string, mostChars: number): string {
  return text.length <= mostChars ? text : `${cutHead(text, mostChars - 1)}…`
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
