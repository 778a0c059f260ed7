// An Anthropic request for the rules: messages and blocks with their places, and merged turns.
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { RuleInput } from '../rule.ts'
import { readFields, readList, readText } from '../walk.ts'

/** One content block. A content that is a string counts as one text block. */
export interface Block {
  readonly type: string
  readonly fields: Fields
  /** `messages[3].content[1]`, or `messages[3].content` where the content is a string. */
  readonly place: string
}

export interface Message {
  readonly index: number
  readonly place: string // `messages[3]`
  readonly role: string
  readonly fields: Fields
  readonly blocks: readonly Block[]
}

/** Consecutive messages of one role, which the API merges. System messages do not separate them. */
export interface Turn {
  readonly role: string
  readonly messages: readonly Message[]
}

/** Shared by all rules of one validation. */
const conversations = new WeakMap<RuleInput, readonly Message[]>()
const mergedTurns = new WeakMap<readonly Message[], readonly Turn[]>()

export function findConversation(input: RuleInput): readonly Message[] {
  const known = conversations.get(input) ?? readMessages(input.request)
  conversations.set(input, known)
  return known
}

export function readMessages(request: Json): readonly Message[] {
  return readList(readFields(request).messages).map((value, index) => {
    const fields = readFields(value)
    const place = `messages[${index}]`
    return {
      index,
      place,
      role: readText(fields.role) ?? '',
      fields,
      blocks: readBlocks(fields, place),
    }
  })
}

/** The blocks of a message or an answer; other items are skipped. */
export function readBlocks({ content }: Fields, parent: string): readonly Block[] {
  const place = `${parent}.content`
  if (typeof content === 'string') {
    return content === '' ? [] : [{ type: 'text', fields: { type: 'text', text: content }, place }]
  }
  return blocksIn(content, place)
}

export function findTurns(messages: readonly Message[]): readonly Turn[] {
  const known = mergedTurns.get(messages) ?? mergeTurns(messages)
  mergedTurns.set(messages, known)
  return known
}

function mergeTurns(messages: readonly Message[]): readonly Turn[] {
  const turns: { role: string; messages: Message[] }[] = []
  for (const message of messages) {
    if (message.role === 'system') continue
    const last = turns.at(-1)
    if (last?.role === message.role) last.messages.push(message)
    else turns.push({ role: message.role, messages: [message] })
  }
  return turns
}

export function blocksOfTurn(turn: Turn | undefined, type?: string): readonly Block[] {
  const blocks = (turn?.messages ?? []).flatMap((message) => message.blocks)
  return type === undefined ? blocks : blocks.filter((block) => block.type === type)
}

/** Nesting depth of blocks: a result contains a document, which contains texts. */
const NESTING = 3

/** The block and its nested blocks: those of a result, a search result, a document. */
export function withNested(block: Block, depth = NESTING): readonly Block[] {
  const { fields, place } = block
  const isPlain = fields.content === undefined && fields.source === undefined
  if (isPlain || depth === 0) return [block]
  const inner = [
    ...blocksIn(fields.content, `${place}.content`),
    ...blocksIn(readFields(fields.source).content, `${place}.source.content`),
  ]
  return [block, ...inner.flatMap((each) => withNested(each, depth - 1))]
}

/** The blocks of the system prompt; none for a string. */
export function systemBlocks(request: Json): readonly Block[] {
  return blocksIn(readFields(request).system, 'system')
}

/** The place of a block's field; string content has no fields. */
export function fieldPlace({ place }: Block, field: string): string {
  return place.endsWith(']') ? `${place}.${field}` : place
}

export function isThinking({ type }: Pick<Block, 'type'>): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}

/** The conversation opens with the provider's own compaction, in a separate message or not. */
export function leadingCompaction(messages: readonly Message[]): Block | undefined {
  const block = messages[0]?.blocks[0]
  return block?.type === 'compaction' ? block : undefined
}

/** A compaction in its own message may precede an answer: it replaces the turns before. */
export function isCompactionAlone({ blocks }: Message): boolean {
  return blocks.length === 1 && blocks[0]?.type === 'compaction'
}

/** The calls of the last answer, if only the user has spoken since. */
export function openRound(messages: readonly Message[]): Message | undefined {
  const last = messages.findLast(({ role }) => role === 'assistant')
  return last?.blocks.some(({ type }) => type === 'tool_use') ? last : undefined
}

/** A required beta header is missing. A body without header names cannot tell. */
export function lacksBeta(request: Json, name: string): boolean {
  const { betas } = readFields(request)
  return Array.isArray(betas) && !betas.includes(name)
}

function blocksIn(list: Json | undefined, place: string): readonly Block[] {
  return readList(list).flatMap((value, index) =>
    isFields(value)
      ? [{ type: readText(value.type) ?? '', fields: value, place: `${place}[${index}]` }]
      : [],
  )
}
