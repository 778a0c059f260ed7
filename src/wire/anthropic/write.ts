// Writes messages as an Anthropic conversation that keeps the rules of the wire: roles, rounds and ids.
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { Message, MessagePart } from '../../core/view/message.ts'
import { WireIds } from '../names.ts'
import { findTurns, joinRoles, type Note, OPENING } from '../rounds.ts'
import { PROVIDER } from './blocks.ts'
import { isTaken, wireBlock } from './write-blocks.ts'

export function wireMessages(messages: readonly Message[], note: Note): Json[] {
  const turns = opened(sendableTurns(messages, note))
  const ids = new WireIds({ maxChars: Number.POSITIVE_INFINITY }, note)
  return turns.map((turn, index) => {
    if (turn.role === 'assistant') ids.nextAnswer()
    const blocks = turn.parts.map((part) => wireBlock(part, (id) => ids.of(id), note))
    const last = index === turns.length - 1 && turn.role === 'assistant'
    return { role: turn.role, content: readContent(last ? withoutTrailingBlanks(blocks) : blocks) }
  })
}

/** Every call has exactly one result, at the start of the next message; roles alternate. */
function sendableTurns(messages: readonly Message[], note: Note): readonly Message[] {
  const rules = { joinsRoles: true, keepsResults: true }
  const turns = findTurns(messages, (part) => isTaken(part, note), note, rules)
  const whole = joinRoles(
    turns.flatMap((turn): Message[] =>
      turn.role === 'user' ? [turn] : [turn, { role: 'user', parts: turn.results }],
    ),
  )
  return whole.map(({ role, parts }) => ({
    role,
    parts: role === 'assistant' ? thinkingFirst(parts, note) : parts,
  }))
}

/** Thinking must precede calls. After merged answers or a lost call some would follow the last. */
function thinkingFirst(parts: readonly MessagePart[], note: Note): MessagePart[] {
  const lastCall = parts.findLastIndex((part) => part.type === 'tool_call')
  return parts.filter((part, at) => {
    const isThinking = part.type === 'thinking' || part.type === 'redacted_thinking'
    if (!isThinking || lastCall < 0 || at < lastCall) return true
    note('thinking behind the calls that it did not lead to was left out')
    return false
  })
}

/** The first message is the user's, unless the provider's own compaction opens the conversation. */
function opened(turns: readonly Message[]): readonly Message[] {
  const [first] = turns
  if (first?.role !== 'assistant' || isCompactionBlock(first.parts[0])) return turns
  return [{ role: 'user', parts: [{ type: 'text', text: OPENING }] }, ...turns]
}

function isCompactionBlock(part: MessagePart | undefined): boolean {
  return (
    part?.type === 'native' &&
    part.provider === PROVIDER &&
    isFields(part.value) &&
    part.value.type === 'compaction'
  )
}

/** The API rejects a last answer that ends in blanks. */
function withoutTrailingBlanks(blocks: readonly Json[]): readonly Json[] {
  const last = blocks.at(-1)
  if (!isFields(last) || last.type !== 'text' || typeof last.text !== 'string') return blocks
  return [...blocks.slice(0, -1), { ...last, text: last.text.trimEnd() }]
}

function readContent(blocks: readonly Json[]): Json {
  const [only] = blocks
  return blocks.length === 1 && isPlainText(only) ? only.text : blocks
}

function isPlainText(block: Json | undefined): block is Fields & { text: string } {
  return isFields(block) && block.type === 'text' && Object.keys(block).length === 2
}
