// A conversation as turns in which each call has exactly one result, as every wire with tools requires.
import type { Message, MessagePart, ToolCallPart, ToolResultPart } from '../core/view/message.ts'

/** Called with each omission or change on the way to the wire. */
export type Note = (problem: string) => void
export type Role = Message['role']

export interface UserTurn {
  readonly role: 'user'
  readonly parts: readonly MessagePart[] // never a result
}
export interface AnswerTurn {
  readonly role: 'assistant'
  readonly parts: readonly MessagePart[]
  readonly results: readonly ToolResultPart[] // one for each call
}
export type Turn = UserTurn | AnswerTurn

/** Precedes a conversation whose opening was compacted into an answer. On the wire only. */
export const OPENING = '[earlier conversation compacted]'
const BREAK = '\n\n'
const INTERRUPTED = 'The call was interrupted and has no result.'
const NOT_YET = 'The call has no result yet.'

const ASSISTANT_ONLY = new Set(['thinking', 'redacted_thinking', 'tool_call'])
const USER_ONLY = new Set(['image', 'document', 'tool_result', 'checkpoint', 'system_reminder'])

/** For wires less strict than most. */
interface RoundRules {
  /** Merge consecutive messages of one role before matching results with calls. */
  readonly joinsRoles?: boolean
  /** Keep the order of results, and allow a last answer to wait for all of its results. */
  readonly keepsResults?: boolean
}

interface OpenTurn {
  readonly role: Role
  readonly parts: readonly MessagePart[]
  readonly results: Map<string, ToolResultPart>
}

/**
 * Turns without parts the wire would reject. A result joins the last answer before it, and is dropped if that
 * has no such call. If nothing else remains, returns the opening alone.
 */
export function findTurns(
  messages: readonly Message[],
  isSendable: (part: MessagePart) => boolean,
  note: Note,
  rules: RoundRules = {},
): Turn[] {
  const turns: OpenTurn[] = []
  const sendable = messages.map(({ role, parts }) => ({
    role,
    parts: parts.filter((part) => isInPlace(part, role, note) && isSendable(part)),
  }))
  for (const { role, parts: own } of rules.joinsRoles ? joinRoles(sendable) : sendable) {
    const answer = turns.findLast((turn) => turn.role === 'assistant')
    for (const part of own) if (part.type === 'tool_result') settle(part, answer, note)
    const others = own.filter((part) => part.type !== 'tool_result')
    const kept = role === 'assistant' ? withoutRepeats(others, note) : others
    if (kept.length > 0) turns.push({ role, parts: kept, results: new Map() })
  }
  const last = turns.at(-1)
  const closed = turns.map((turn) => close(turn, turn === last, rules, note))
  return closed.length > 0 || messages.length === 0 ? closed : [openingTurn()]
}

/** Drops empty messages and merges consecutive ones of one role. */
export function joinRoles(
  turns: readonly { readonly role: Role; readonly parts: readonly MessagePart[] }[],
): { readonly role: Role; readonly parts: readonly MessagePart[] }[] {
  const joined: { role: Role; parts: MessagePart[] }[] = []
  for (const { role, parts } of turns) {
    const last = joined.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else if (parts.length > 0) joined.push({ role, parts: [...parts] })
  }
  return joined
}

/** For wires that accept thinking only next to other content: drops answers of thinking alone. */
export function spoken(turns: readonly Turn[]): Turn[] {
  const kept = turns.filter(
    ({ role, parts }) =>
      role === 'user' || parts.some(({ type }) => type === 'text' || type === 'tool_call'),
  )
  return kept.length > 0 || turns.length === 0 ? kept : [openingTurn()]
}

/** Merges consecutive turns of one role unless results separate them. */
export function alternating(turns: readonly Turn[]): Turn[] {
  const merged: Turn[] = []
  for (const turn of turns) {
    const last = merged.at(-1)
    if (last?.role === 'user' && turn.role === 'user')
      merged.splice(-1, 1, { ...last, parts: [...last.parts, ...turn.parts] })
    else if (last?.role === 'assistant' && turn.role === 'assistant' && last.results.length === 0)
      merged.splice(-1, 1, { ...turn, parts: joinedParts(last, turn) })
    else merged.push(turn)
  }
  return merged
}

/** Texts of two answers stay separate. */
function joinedParts(first: Turn, second: Turn): MessagePart[] {
  const last = first.parts.at(-1)
  if (last?.type !== 'text' || second.parts[0]?.type !== 'text')
    return [...first.parts, ...second.parts]
  return [...first.parts.slice(0, -1), { ...last, text: `${last.text}${BREAK}` }, ...second.parts]
}

/** Makes the user the first to speak. */
export function opened(turns: readonly Turn[]): readonly Turn[] {
  return turns[0]?.role === 'assistant' ? [openingTurn(), ...turns] : turns
}

export function findCalls(turn: Turn): ToolCallPart[] {
  return turn.parts.filter((part) => part.type === 'tool_call')
}

function openingTurn(): UserTurn {
  return { role: 'user', parts: [{ type: 'text', text: OPENING }] }
}

export function isInPlace(part: MessagePart, role: Role, note: Note): boolean {
  if (part.type === 'text') return part.text.trim() !== ''
  if (!(role === 'user' ? ASSISTANT_ONLY : USER_ONLY).has(part.type)) return true
  note(`a ${part.type} part cannot stand in a message of the ${role}; it was left out`)
  return false
}

/** Attaches a result to its call, if the answer has that call and it has no result. */
function settle(result: ToolResultPart, answer: OpenTurn | undefined, note: Note): void {
  const isCalled = answer?.parts.some((part) => part.type === 'tool_call' && part.id === result.id)
  if (answer && isCalled && !answer.results.has(result.id)) answer.results.set(result.id, result)
  else note(`a second or orphaned result of ${result.id} was left out`)
}

/** An id may be called once per answer: a repetition would share its result. */
function withoutRepeats(parts: readonly MessagePart[], note: Note): MessagePart[] {
  const ids = new Set<string>()
  return parts.filter((part) => {
    if (part.type !== 'tool_call') return true
    if (ids.has(part.id)) note(`a second call with the id ${part.id} in one answer was left out`)
    return ids.size < ids.add(part.id).size
  })
}

/** Calls of the last answer may still be running, but most wires require results for them. */
function close(
  { role, parts, results }: OpenTurn,
  isLast: boolean,
  { keepsResults = false }: RoundRules,
  note: Note,
): Turn {
  if (role === 'user') return { role, parts }
  if (keepsResults && isLast && results.size === 0) return { role, parts, results: [] }
  const isRunning = isLast && !keepsResults
  const closed = findCalls({ role, parts, results: [] }).map(({ id }): ToolResultPart => {
    const result = results.get(id)
    if (result) return result
    note(`the call ${id} has no result; the wire says so in its place`)
    const content = [{ type: 'text' as const, text: isRunning ? NOT_YET : INTERRUPTED }]
    return { type: 'tool_result', id, content, status: isRunning ? 'completed' : 'aborted' }
  })
  if (!keepsResults) return { role, parts, results: closed }
  const missing = closed.filter(({ id }) => !results.has(id))
  return { role, parts, results: [...results.values(), ...missing] }
}
