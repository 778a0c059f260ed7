// The ends of a conversation: with the user, unless the provider allows otherwise
import type { RepairProfile } from './profile.ts'
import { type Changes, type Turn, textAt, withParts } from './turn.ts'

const OPENING = '[the beginning of this conversation is not there]'
const NOTHING_SAID = '[nothing was said yet]'
/** No request: the model is told that none was made. */
const CLOSING = '[no message of the user follows]'

export function mendBeginning(
  turns: readonly Turn[],
  { anyOpening = false, natives }: RepairProfile,
  changes: Changes,
): Turn[] {
  const [first] = turns
  if (first === undefined) {
    changes.add('empty-conversation', 'messages', 'there is no message that can be sent')
    return [userTurn(NOTHING_SAID, 'messages')]
  }
  const opening = first.parts[0]?.part
  if (first.role === 'user' || anyOpening || (opening && natives?.opens(opening))) return [...turns]
  changes.add('first-message', first.at, 'the first message is an answer; a note stands before it')
  return [userTurn(OPENING, first.at), ...turns]
}

export function mendEnd(
  turns: readonly Turn[],
  { prefill = false, natives }: RepairProfile,
  changes: Changes,
): Turn[] {
  const last = turns.at(-1)
  if (last?.role !== 'assistant') return [...turns]
  if (prefill) return [...turns.slice(0, -1), withoutTrailingBlanks(last, changes)]
  if (natives?.isPaused(last.parts.map(({ part }) => part))) return [...turns]
  changes.add('last-message', last.at, 'the last message is an answer; a note stands behind it')
  return [...turns, userTurn(CLOSING, last.at)]
}

function withoutTrailingBlanks(turn: Turn, changes: Changes): Turn {
  const placed = turn.parts.at(-1)
  if (placed?.part.type !== 'text') return turn
  const text = placed.part.text.trimEnd()
  if (text === placed.part.text) return turn
  changes.add('blank-text', placed.at, 'an unfinished answer may not end in blanks; they were cut')
  return withParts(turn, [
    ...turn.parts.slice(0, -1),
    { ...placed, part: { ...placed.part, text } },
  ])
}

function userTurn(text: string, at: string): Turn {
  return { role: 'user', at, parts: [textAt(text, at)], isRewritten: true }
}
