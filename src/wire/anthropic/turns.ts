// The turns of a conversation, and the format rules that they already break when they are read: listed, not rejected.
import type { Fields, Json } from '../../core/text/json.ts'
import type { Notes, ReadBlock } from './blocks.ts'
import { isEmpty } from './shape.ts'

// Format rules that a conversation already breaks when it is read: listed, not rejected.

export function checkTurns(turns: readonly Turn[], notes: Notes): void {
  const note = (problem: string) => notes.problems.push(problem)
  if (turns.length === 0) note('messages: there are none')
  if (turns[0]?.role === 'assistant') note('messages[0]: the first message is not the user’s')
  const seen = new Set<string>()
  let open: ReadonlyMap<string, string> = new Map() // calls of the previous turn, with their places
  for (const [index, turn] of turns.entries()) {
    for (const message of turn.messages) checkMessage(message, note)
    if (turn.role === 'system') {
      note(
        `${findPath(turn)}: a system message among the messages; it is read as ${index === 0 ? 'the system prompt' : 'a reminder'}`,
      )
      continue
    }
    if (turn.messages.length > 1)
      note(
        `${findPath(turn)}: ${turn.messages.length} ${turn.role} messages in a row; they are one turn`,
      )
    if (turn.role === 'user') open = checkResults(turn, open, note)
    for (const [id, path] of open) note(`${path}: the call ${id} has no result in the next message`)
    open = turn.role === 'assistant' ? findCalls(turn, seen, note) : new Map()
    if (index === turns.length - 1)
      for (const [id, path] of open) note(`${path}: the call ${id} still waits for its result`)
  }
}

function checkMessage(message: ReadMessage, note: (problem: string) => void): void {
  const { path, blocks, rest } = message
  if (blocks.length === 0) note(`${path}: the message is empty; it will not be sent`)
  if (!isEmpty(rest)) {
    const names = Object.keys(rest).join(', ')
    note(
      `${path}: fields beside role and content (${names}) are kept in the log, not in the output`,
    )
  }
  let others = false
  for (const block of blocks) {
    if (block.kind === 'misplaced')
      note(
        `${path}: a ${block.type} block in a message of the ${message.role}; it is kept in the log only`,
      )
    else if (!isEmpty(block.rest)) {
      const names = Object.keys(block.rest).join(', ')
      note(`${path}: fields of a block (${names}) are kept in the log, not in the output`)
    }
    if (block.kind === 'result' && others)
      note(`${path}: a tool result stands behind other content`)
    if (block.kind === 'part') others = true
  }
}

/** The calls the turn leaves without a result. */
function checkResults(
  turn: Turn,
  open: ReadonlyMap<string, string>,
  note: (problem: string) => void,
): ReadonlyMap<string, string> {
  const left = new Map(open)
  for (const { path, blocks } of turn.messages)
    for (const block of blocks) {
      if (block.kind !== 'result') continue
      const { id } = block.result
      if (left.delete(id)) continue
      const problem = open.has(id) ? 'is there twice' : 'answers no call of the message before'
      note(`${path}: the result of ${id} ${problem}; it will not be sent`)
    }
  return left
}

function findCalls(
  turn: Turn,
  seen: Set<string>,
  note: (problem: string) => void,
): Map<string, string> {
  const calls = new Map<string, string>()
  for (const { path, blocks } of turn.messages)
    for (const block of blocks) {
      if (block.kind !== 'call') continue
      const { id } = block.call
      if (seen.has(id)) note(`${path}: the call id ${id} was used before`)
      seen.add(id)
      calls.set(id, path)
    }
  return calls
}

function findPath(turn: Turn): string {
  return turn.messages[0]?.path ?? 'messages'
}

/** Consecutive messages of one role: a turn. */
export interface ReadMessage {
  readonly path: string
  readonly role: 'user' | 'assistant' | 'system'
  readonly blocks: readonly ReadBlock[]
  readonly rest: Fields // fields besides role and content
  readonly original: Json
}

/** Consecutive messages of one role, which the API reads as one. */
interface Turn {
  readonly role: ReadMessage['role']
  readonly messages: readonly ReadMessage[]
}

export function findTurns(messages: readonly ReadMessage[]): Turn[] {
  const turns: { role: ReadMessage['role']; messages: ReadMessage[] }[] = []
  for (const message of messages) {
    const last = turns.at(-1)
    if (last?.role === message.role) last.messages.push(message)
    else turns.push({ role: message.role, messages: [message] })
  }
  return turns
}
