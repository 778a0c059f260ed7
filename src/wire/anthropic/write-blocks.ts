// Writes parts as content blocks of the Anthropic Messages API, and drops what the API rejects.
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import { checkpointToText } from '../../core/view/checkpoint.ts'
import type { Block, MediaPart } from '../../core/view/content.ts'
import type { MessagePart, ToolResultPart } from '../../core/view/message.ts'
import { isInPlace, type Note, type Role } from '../rounds.ts'
import { PROVIDER } from './blocks.ts'

/** Whether the API accepts this part in a message of this role. Blank text is dropped silently. */
export function isSendable(part: MessagePart, role: Role, note: Note): boolean {
  return isInPlace(part, role, note) && isTaken(part, note)
}

/** Signed thinking goes back only to its own models, native parts only to their own API. */
export function isTaken(part: MessagePart, note: Note): boolean {
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

/** The block of a sendable part. `wireId` maps a call's id to its id in this request. */
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

/** The API requires an object; anything else was never a valid call, and is shown as text. */
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

/** A single text is written as a string, which unlike a block may be empty; an error needs some text. */
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
