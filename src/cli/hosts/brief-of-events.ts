// What must not be lost of a log: the user's constraints, requests, and the state of files, tests and commands
import { ledgerReducer } from '../../core/ledger/ledger.ts'
import { ledgerLines } from '../../core/ledger/ledger-lines.ts'
import type { Ledger } from '../../core/ledger/records.ts'
import type { ThreadEvent } from '../../core/log/event.ts'
import { typedTexts } from '../../core/view/typed-text.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import type { Brief } from './brief.ts'
import { constraintsIn, requestIn } from './said-constraints.ts'

const STATE_LINES = 40
const EARLIER = 60
const EARLIER_CHARS = 120

/** `refOf` names the entry of an event; where it gives nothing, there are no refs. */
export function briefOf(
  events: readonly ThreadEvent[],
  pins: readonly string[],
  refOf: (seq: number) => string,
): Brief {
  const typed = events.flatMap((event) => {
    const text = event.type === 'USER_MESSAGE' ? typedTexts(event).join('\n').trim() : ''
    return text === '' ? [] : [{ text, ref: refOf(event.seq) }]
  })
  const earlier = typed.slice(-EARLIER - 1, -1).map(({ text, ref }) => {
    const [line = ''] = text.split('\n', 1)
    return { text: cutHead(line, EARLIER_CHARS), ref }
  })
  return {
    ...requestIn(typed),
    constraints: constraintsIn(typed),
    pins,
    state: ledgerLines(ledgerOf(events), STATE_LINES),
    earlier,
  }
}

export function ledgerOf(events: readonly ThreadEvent[]): Ledger {
  return events.reduce(ledgerReducer.step, ledgerReducer.init())
}
