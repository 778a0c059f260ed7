// What must not be lost of a thread: the user's constraints and pins, and the state of files, tests and commands
import type { Composed } from '../../compose.ts'
import { findConstraints } from '../../core/constraints/find-constraints.ts'
import { ledgerReducer } from '../../core/ledger/ledger.ts'
import { type LedgerFile, ledgerFiles, ledgerLines } from '../../core/ledger/ledger-lines.ts'
import type { ThreadEvent } from '../../core/log/event.ts'
import { refInThread } from '../../core/search/archive.ts'
import { originalId } from '../../core/view/entry.ts'
import { typedTexts } from '../../core/view/typed-text.ts'
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
    ...(request && { request: { ...request, text: request.text.slice(0, REQUEST_CHARS) } }),
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

/** Within so many characters: what the user said goes before the state. */
export function renderBrief(brief: Brief, mostChars: number): string {
  const { request, constraints, pins, state } = brief
  const list = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `- ${oneLine(line)}`), '']
  const lines = [
    ...list('What the user asked for that still holds (keep word for word)', [
      ...pins,
      ...constraints.map(({ text }) => text).filter((text) => !pins.includes(text)),
    ]),
    ...(request
      ? list('The latest request of the user', [
          `${request.text}${request.ref === '' ? '' : ` [${request.ref}]`}`,
        ])
      : []),
    ...list('State of files, tests, plans and commands', state),
  ]
  let text = ''
  for (const line of lines) {
    if (text.length + line.length + 1 > mostChars) break
    text += `${line}\n`
  }
  return text.trimEnd()
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
