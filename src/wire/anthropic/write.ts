// Messages as an Anthropic conversation that keeps the rules of the wire: roles, rounds and ids.
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type {
  Block,
  MediaPart,
  Message,
  MessagePart,
  ToolResultPart,
} from '../../core/view/content.ts'
import { checkpointToText } from '../../core/view/seam.ts'
import {
  findTurns,
  isInPlace,
  joinRoles,
  type Note,
  OPENING,
  type Role,
  WireIds,
} from '../openai-chat/rounds.ts'
import { PROVIDER } from './blocks.ts'

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

/** Every call has exactly one result, first in the next message; roles alternate. */
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

// Parts as the content blocks of the Anthropic Messages API, and what the API would not take of them.

/** Whether the API takes this part in a message of this role. Blank text is dropped in silence. */
export function isSendable(part: MessagePart, role: Role, note: Note): boolean {
  return isInPlace(part, role, note) && isTaken(part, note)
}

/** Thinking goes back to the models it came from alone, signed; native parts to their own API. */
function isTaken(part: MessagePart, note: Note): boolean {
  switch (part.type) {
    case 'thinking':
    case 'redacted_thinking':
      if (!part.model.startsWith(`${PROVIDER}/`)) note(`thinking of ${part.model} was left out`)
      else if (part.type === 'thinking' && !part.signature)
        note('thinking without a signature was left out')
      else return true
      return false
    case 'native':
      if (part.provider === PROVIDER) return true
      note(`a part that only ${part.provider} understands was left out`)
      return false
    default:
      return true
  }
}

/** The block of a sendable part. `wireId` is the id under which a call is known in this request. */
export function wireBlock(part: MessagePart, wireId: (id: string) => string, note: Note): Json {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text, ...readExtra(part.extra) }
    case 'checkpoint':
      return { type: 'text', text: checkpointToText(part.id) }
    case 'system_reminder':
      return { type: 'text', text: `<system-reminder>${part.text}</system-reminder>` }
    case 'thinking':
      return { type: 'thinking', thinking: part.thinking, signature: part.signature ?? '' }
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: part.data }
    case 'image':
    case 'document':
      return wireMedia(part)
    case 'native':
      return part.value
    case 'tool_call':
      return {
        type: 'tool_use',
        id: wireId(part.id),
        name: wireName(part.name, note),
        input: readInput(part.arguments),
      }
    case 'tool_result':
      return wireResult(part, wireId(part.id), note)
  }
}

function readExtra(
  extra: { readonly provider: string; readonly fields: Json } | undefined,
): Fields {
  return extra?.provider === PROVIDER && isFields(extra.fields) ? extra.fields : {}
}

function wireMedia({ type, media, extra }: MediaPart): Json {
  const source: Json =
    media.data !== undefined
      ? { type: 'base64', media_type: media.mimeType, data: media.data }
      : media.text !== undefined
        ? { type: 'text', media_type: media.mimeType, data: media.text }
        : { type: 'url', url: media.uri ?? '' }
  const title = type === 'document' && media.title !== undefined ? { title: media.title } : {}
  return { type, source, ...title, ...readExtra(extra) }
}

/** The API wants an object; anything else was never a valid call, and is shown as what it was. */
function readInput(value: Json): Json {
  return isFields(value) ? value : { input: value }
}

const MAX_NAME_CHARS = 128

function wireName(name: string, note: Note): string {
  const legal = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_NAME_CHARS) || 'unnamed'
  if (legal !== name) note(`the tool name ${JSON.stringify(name)} was written as ${legal}`)
  return legal
}

function wireResult(part: ToolResultPart, id: string, note: Note): Json {
  const isError = part.status !== 'completed'
  const blocks = part.content.flatMap((block) => wireResultBlock(block, isError, note))
  return {
    type: 'tool_result',
    tool_use_id: id,
    ...resultContent(part.content, blocks, isError),
    ...(isError && { is_error: true }),
  }
}

/** A lone text is written as a string, which unlike a block may be empty; an error must say something. */
function resultContent(
  content: readonly Block[],
  blocks: readonly Fields[],
  isError: boolean,
): Fields {
  const [only] = blocks
  if (blocks.length === 1 && only?.type === 'text' && Object.keys(only).length === 2)
    return { content: only.text as Json }
  if (blocks.length > 0) return { content: blocks }
  if (isError) return { content: '(no output)' }
  return content.length === 0 ? {} : { content: '' }
}

function wireResultBlock(block: Block, isError: boolean, note: Note): Fields[] {
  const wire = anyResultBlock(block, note)
  if (wire === undefined || (wire.type === 'text' && String(wire.text).trim() === '')) return []
  if (!isError || wire.type === 'text') return [wire]
  note(`an error result may hold text only: its ${String(wire.type)} became a note`)
  return [text(`[${String(wire.type)} left out of an error result]`)]
}

function anyResultBlock(block: Block, note: Note): Fields | undefined {
  switch (block.type) {
    case 'text':
      return text(block.text ?? '')
    case 'image':
      return { type: 'image', source: imageSource(block) }
    case 'resource':
      if (block.text !== undefined) return text(block.text)
      if (block.data !== undefined && block.mimeType === 'application/pdf')
        return {
          type: 'document',
          source: { type: 'base64', media_type: block.mimeType, data: block.data },
        }
      return text(`[resource ${block.uri ?? block.mimeType ?? 'without a name'}]`)
    case 'native':
      if (block.provider === PROVIDER && isFields(block.value)) return block.value
      note(
        `a block of a result that only ${block.provider ?? 'its provider'} understands was left out`,
      )
      return block.text === undefined ? undefined : text(block.text)
  }
}

function imageSource(block: Block): Json {
  return block.data === undefined
    ? { type: 'url', url: block.uri ?? '' }
    : { type: 'base64', media_type: block.mimeType ?? 'image/png', data: block.data }
}

function text(value: string): Fields {
  return { type: 'text', text: value }
}

// Thinking and native parts belong to the server that made them, by its name.

/** The original, where another server goes under its name. */
const OTHER = `other ${PROVIDER}`

/**
 * Those of the server `provider` go under the name of the format, as if it were the original. Those of
 * the original are another server's then.
 */
export function underFormatName(
  messages: readonly Message[],
  provider: string,
): readonly Message[] {
  if (provider === PROVIDER) return messages
  return messages.map((message) => {
    const parts = message.parts.map((part) => renamed(part, provider))
    return parts.some((part, index) => part !== message.parts[index])
      ? { ...message, parts }
      : message
  })
}

/** What is said of parts of the original, by the name that people know. */
export function underKnownNames(text: string): string {
  return text.replaceAll(OTHER, PROVIDER)
}

function renamed(part: MessagePart, provider: string): MessagePart {
  if (part.type === 'native') return { ...part, provider: nameFor(part.provider, provider) }
  if ((part.type === 'text' || part.type === 'image' || part.type === 'document') && part.extra)
    return { ...part, extra: { ...part.extra, provider: nameFor(part.extra.provider, provider) } }
  if (part.type !== 'thinking' && part.type !== 'redacted_thinking') return part
  const at = part.model.indexOf('/')
  const owner = nameFor(part.model.slice(0, at), provider)
  return { ...part, model: `${owner}/${part.model.slice(at + 1)}` }
}

function nameFor(owner: string, provider: string): string {
  if (owner === provider) return PROVIDER
  return owner === PROVIDER ? OTHER : owner
}
