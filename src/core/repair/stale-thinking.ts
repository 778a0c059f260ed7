// Thinking after changed content, and open tool rounds without their thinking.
import type { Message, MessagePart } from '../view/message.ts'
import type { RepairProfile } from './profile.ts'
import { callInWords, partInWords, resultInParts } from './result-content.ts'
import { saysSomething } from './sendable.ts'
import {
  Changes,
  findTurn,
  hasCalls,
  isThinking,
  LEFT_OUT,
  type PlacedPart,
  type RepairChange,
  readMessage,
  type Turn,
  textAt,
  withParts,
} from './turn.ts'

/**
 * If thinking is bound to its prefix, all of it goes from the first change on. Calls of the last answers may
 * not be sent without it, so those rounds become text in the user message before them.
 */
export function mendThinking(
  turns: readonly Turn[],
  isFrontChanged: boolean, // system prompt and tools, before all messages
  profile: RepairProfile,
  changes: Changes,
): Turn[] {
  const isBound = profile.preservedThinking !== false && !profile.dropsStaleThinking
  const first = isFrontChanged ? 0 : turns.findIndex(({ isRewritten }) => isRewritten)
  const isStripped = isBound && first !== -1
  const stripped = isStripped
    ? turns.map((turn, index) => (index < first ? turn : withoutThinking(turn, changes)))
    : turns
  const lost = stripped.map((turn, index) => turn !== turns[index])
  const start = foldStart(stripped, lost, profile.thinkingEnabled ?? false)
  return start === undefined ? [...stripped] : folded(stripped, start, changes)
}

/** For a provider that accepts none of their thinking: the open round becomes text. */
export function toldWithoutThinking(messages: readonly Message[]): {
  readonly messages: readonly Message[]
  readonly changes: readonly RepairChange[]
} {
  const changes = new Changes()
  const turns = mendThinking(messages.map(findTurn), true, {}, changes)
  return { messages: turns.map(readMessage), changes: changes.list }
}

function withoutThinking(turn: Turn, changes: Changes): Turn {
  const kept = turn.parts.filter((placed) => {
    if (!isThinking(placed)) return true
    changes.add('thinking', placed.at, `something before it was changed${LEFT_OUT}`)
    return false
  })
  return saysSomething(withParts(turn, kept), turn)
}

/** The first answer that must become text with everything after it; undefined if none. */
function foldStart(
  turns: readonly Turn[],
  lost: readonly boolean[],
  thinkingEnabled: boolean,
): number | undefined {
  let end = turns.length
  for (let open = turns.length - 1; open > 0; open -= 1) {
    const answer = turns[open]
    if (open >= end || answer?.role !== 'assistant') continue
    if (!hasCalls(answer)) break
    if (lost[open]) end = open
    else if (thinkingEnabled && !isLoopThought(turns, open)) end = loopStart(turns, open)
    else break
  }
  return end === turns.length ? undefined : end
}

/** The turn's first or last answer starts with thinking. */
function isLoopThought(turns: readonly Turn[], open: number): boolean {
  return [loopStart(turns, open), open].some((index) => {
    const first = turns[index]?.parts[0]
    return first !== undefined && isThinking(first)
  })
}

/** Back to the answer after the user's last message. */
function loopStart(turns: readonly Turn[], open: number): number {
  let start = open
  while (start > 1) {
    const before = turns[start - 1]
    const isSaid =
      before?.role === 'user' && !before.parts.some(({ part }) => part.type === 'tool_result')
    if (isSaid) return start
    start -= 1
  }
  return start
}

const HEADING = '[what was done since, as text:]'

function folded(turns: readonly Turn[], start: number, changes: Changes): Turn[] {
  const before = turns[start - 1]
  const told = turns.slice(start)
  const at = told[0]?.at ?? 'messages'
  changes.add(
    'open-round',
    at,
    'an open tool round cannot be sent without its thinking; it became text',
  )
  const names = new Map<string, string>()
  const parts = told.flatMap((turn) =>
    turn.parts.flatMap((placed) => toldPart(placed, turn, names)),
  )
  const hasOpening = before?.role === 'user'
  const opening: Turn = hasOpening ? before : { role: 'user', at, parts: [], isRewritten: true }
  return [
    ...turns.slice(0, hasOpening ? start - 1 : start),
    withParts(opening, [...opening.parts, textAt(HEADING, at), ...parts]),
  ]
}

/** Marks the assistant's text, because it is in a user message. */
function toldPart({ part, at }: PlacedPart, turn: Turn, names: Map<string, string>): PlacedPart[] {
  if (part.type === 'thinking' || part.type === 'redacted_thinking') return []
  if (part.type === 'text' && turn.role === 'assistant') return [textAt(`[said] ${part.text}`, at)]
  if (part.type === 'native' && turn.role === 'assistant') {
    const words = partInWords(part)
    return words === '' ? [] : [textAt(words, at)]
  }
  return partsAsText(part, names).map((each) => ({ part: each, at }))
}

/** Calls and results as text, other parts unchanged. `names` maps calls to tools. */
export function partsAsText(part: MessagePart, names: Map<string, string>): MessagePart[] {
  if (part.type === 'tool_call') {
    names.set(part.id, part.name)
    return [{ type: 'text', text: callInWords(part) }]
  }
  if (part.type !== 'tool_result') return [part]
  return resultInParts(part, names.get(part.id) ?? part.id)
}
