// Two libraries' own ways to shorten a conversation, as they are: each says which pieces stay.
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  ToolMessage,
  trimMessages,
} from '@langchain/core/messages'
import { type AssistantContent, type ModelMessage, pruneMessages, type ToolContent } from 'ai'
import { type Piece, tokensIn } from './pieces.ts'

/** The pieces of one message of these libraries: they give each result a message of its own. */
interface Group {
  readonly role: 'human' | 'ai' | 'tool'
  readonly pieces: readonly Piece[]
}

/**
 * LangChain's `trimMessages`, from the end. To start on the user alone, as its examples do, would leave
 * nothing of most sessions of agents, which work for long on one message.
 */
export async function keptByTrimMessages(
  pieces: readonly Piece[],
  budgetTokens: number,
): Promise<Piece[]> {
  const groups = groupsOf(pieces)
  const of = (message: BaseMessage) => groups[Number(message.id)]?.pieces ?? []
  const kept = await trimMessages(groups.map(asLangChain), {
    maxTokens: budgetTokens,
    strategy: 'last',
    startOn: ['human', 'ai'],
    includeSystem: true,
    tokenCounter: (messages) => messages.reduce((sum, message) => sum + tokensIn(of(message)), 0),
  })
  return kept.flatMap(of)
}

function asLangChain({ role, pieces }: Group, index: number): BaseMessage {
  const id = String(index)
  const content = pieces.flatMap(({ kind, text }) => (kind === 'call' ? [] : [text])).join('\n')
  if (role === 'human') return new HumanMessage({ id, content })
  if (role === 'tool')
    return new ToolMessage({ id, content, tool_call_id: pieces[0]?.callId ?? '' })
  const calls = pieces.filter(({ kind }) => kind === 'call')
  return new AIMessage({
    id,
    content,
    tool_calls: calls.map(({ callId = '' }) => ({ id: callId, name: 'tool', args: {} })),
  })
}

const KEPT_MESSAGES = 3

/** The AI SDK's `pruneMessages`: calls and results go, but for those of the last messages. */
export function keptByPruneMessages(pieces: readonly Piece[]): Piece[] {
  const pieceOf = new Map<unknown, Piece>()
  const note = <Part>(part: Part, piece: Piece): Part => {
    pieceOf.set(part, piece)
    return part
  }
  const pruned = pruneMessages({
    messages: groupsOf(pieces).map((group) => asModelMessage(group, note)),
    toolCalls: `before-last-${KEPT_MESSAGES}-messages`,
    emptyMessages: 'remove',
  })
  return pruned.flatMap(({ content }) =>
    typeof content === 'string' ? [] : [...content].flatMap((part) => pieceOf.get(part) ?? []),
  )
}

function asModelMessage(
  { role, pieces }: Group,
  note: <Part>(part: Part, piece: Piece) => Part,
): ModelMessage {
  const text = (piece: Piece) => note({ type: 'text' as const, text: piece.text }, piece)
  if (role === 'human') return { role: 'user', content: pieces.map(text) }
  if (role === 'tool') {
    const content: ToolContent = pieces.map((piece) => {
      const output = { type: 'text' as const, value: piece.text }
      const { callId = '' } = piece
      return note({ type: 'tool-result', toolCallId: callId, toolName: 'tool', output }, piece)
    })
    return { role: 'tool', content }
  }
  const content: AssistantContent = pieces.map((piece) => {
    const { kind, callId = '', text: input } = piece
    if (kind !== 'call') return text(piece)
    return note({ type: 'tool-call' as const, toolCallId: callId, toolName: 'tool', input }, piece)
  })
  return { role: 'assistant', content }
}

function groupsOf(pieces: readonly Piece[]): Group[] {
  const groups: { role: Group['role']; message: number; pieces: Piece[] }[] = []
  for (const piece of pieces) {
    const role = ROLES[piece.kind]
    const last = groups.at(-1)
    if (last && role !== 'tool' && last.role === role && last.message === piece.message)
      last.pieces.push(piece)
    else groups.push({ role, message: piece.message, pieces: [piece] })
  }
  return groups
}

const ROLES = { user: 'human', answer: 'ai', call: 'ai', result: 'tool' } as const
