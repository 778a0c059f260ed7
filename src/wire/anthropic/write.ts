// Messages as an Anthropic conversation that keeps the rules of the wire: roles, rounds and ids.
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { Message, MessagePart, ToolResultPart } from '../../core/view/message.ts'
import { PROVIDER } from './blocks.ts'
import { isSendable, type Note, type Role, wireBlock } from './wire.ts'

/** Stands before a conversation whose opening was compacted into an answer. On the wire only. */
const OPENING = '[earlier conversation compacted]'
const NO_RESULT = 'The call was interrupted and has no result.'

interface Turn {
  readonly role: Role
  readonly parts: readonly MessagePart[]
}

export function wireMessages(messages: readonly Message[], note: Note): Json[] {
  const turns = opened(paired(sendable(messages, note), note))
  const ids = new WireIds(note)
  return turns.map((turn, index) => {
    if (turn.role === 'assistant') ids.nextAnswer()
    const blocks = turn.parts.map((part) => wireBlock(part, (id) => ids.of(id), note))
    const last = index === turns.length - 1 && turn.role === 'assistant'
    return { role: turn.role, content: readContent(last ? withoutTrailingBlanks(blocks) : blocks) }
  })
}

/** Without what the API would refuse, and with alternating roles. */
function sendable(messages: readonly Message[], note: Note): Turn[] {
  return alternating(
    messages.map(({ role, parts }) => ({
      role,
      parts: parts.filter((part) => isSendable(part, role, note)),
    })),
  )
}

function alternating(turns: readonly Turn[]): Turn[] {
  const merged: { role: Role; parts: MessagePart[] }[] = []
  for (const { role, parts } of turns) {
    if (parts.length === 0) continue
    const last = merged.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else merged.push({ role, parts: [...parts] })
  }
  return merged
}

/**
 * Every call has exactly one result, first in the next message; other results go. Dropping one can leave
 * a turn empty and its neighbours side by side, so this repeats until nothing changes.
 */
function paired(turns: Turn[], note: Note): Turn[] {
  let current = turns
  for (;;) {
    const next = alternating(
      current.map((turn, index) => pairedTurn(turn, current[index - 1], note)),
    )
    if (next.length === current.length) return withMissingResults(next, note)
    current = next
  }
}

function pairedTurn(turn: Turn, before: Turn | undefined, note: Note): Turn {
  if (turn.role === 'assistant')
    return { role: 'assistant', parts: thinkingFirst(withoutRepeats(turn.parts, note), note) }
  const waiting = new Set(callIds(before))
  const results: MessagePart[] = []
  const others: MessagePart[] = []
  for (const part of turn.parts) {
    if (part.type !== 'tool_result') others.push(part)
    else if (waiting.delete(part.id)) results.push(part)
    else note(`a second or orphaned result of ${part.id} was left out`)
  }
  return { role: 'user', parts: [...results, ...others] }
}

/** Thinking leads to calls. Where answers were merged or a call was lost, some would follow the last. */
function thinkingFirst(parts: readonly MessagePart[], note: Note): MessagePart[] {
  const lastCall = parts.findLastIndex((part) => part.type === 'tool_call')
  return parts.filter((part, at) => {
    const isThinking = part.type === 'thinking' || part.type === 'redacted_thinking'
    if (!isThinking || lastCall < 0 || at < lastCall) return true
    note('thinking behind the calls that it did not lead to was left out')
    return false
  })
}

/** One answer may call an id once: a repeat would share its result. */
function withoutRepeats(parts: readonly MessagePart[], note: Note): MessagePart[] {
  const ids = new Set<string>()
  return parts.filter((part) => {
    if (part.type !== 'tool_call') return true
    if (ids.has(part.id)) note(`a second call with the id ${part.id} in one answer was left out`)
    return ids.size < ids.add(part.id).size
  })
}

/** Calls of the last message may still be running; all others are answered as interrupted. */
function withMissingResults(turns: readonly Turn[], note: Note): Turn[] {
  return turns.map((turn, index) => {
    if (turn.role === 'assistant') return turn
    const there = new Set(turn.parts.map((part) => (part.type === 'tool_result' ? part.id : '')))
    const missing = callIds(turns[index - 1]).filter((id) => !there.has(id))
    for (const id of missing) note(`the call ${id} has no result; it is answered as interrupted`)
    const count = turn.parts.filter((part) => part.type === 'tool_result').length
    const parts = [
      ...turn.parts.slice(0, count),
      ...missing.map(interrupted),
      ...turn.parts.slice(count),
    ]
    return { role: 'user', parts }
  })
}

function callIds(turn: Turn | undefined): string[] {
  return (turn?.parts ?? []).flatMap((part) => (part.type === 'tool_call' ? [part.id] : []))
}

function interrupted(id: string): ToolResultPart {
  return {
    type: 'tool_result',
    id,
    content: [{ type: 'text', text: NO_RESULT }],
    status: 'aborted',
  }
}

/** The first message is the user's, unless the provider's own compaction opens the conversation. */
function opened(turns: readonly Turn[]): readonly Turn[] {
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

/** Call ids as the API takes them: legal, and never twice in a request. Rounds may repeat theirs. */
class WireIds {
  readonly #used = new Set<string>()
  #round = new Map<string, string>()
  readonly #note: Note

  constructor(note: Note) {
    this.#note = note
  }

  nextAnswer(): void {
    this.#round = new Map()
  }

  of(id: string): string {
    const known = this.#round.get(id)
    if (known !== undefined) return known
    const legal = id.replace(/[^a-zA-Z0-9_-]/g, '_') || 'call'
    let wire = legal
    for (let count = 2; this.#used.has(wire); count += 1) wire = `${legal}_${count}`
    if (wire !== id) this.#note(`the call id ${JSON.stringify(id)} was written as ${wire}`)
    this.#used.add(wire)
    this.#round.set(id, wire)
    return wire
  }
}

/** The API takes no answer that ends in blanks as the last message. */
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
