// Converts one content block of an Anthropic message to a part, a tool call or a tool result.

import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { Block, Media, ModelRef, Part, ToolResult } from '../../core/view/content.ts'
import { mediaOfSource } from '../content-parts.ts'
import { isEmpty, readFields, requireText, without, wrongShape } from './shape.ts'

export const PROVIDER = 'anthropic'

/** What reading collects on the way. */
export interface Notes {
  readonly problems: string[]
  cacheMarks: number
}

export type ReadBlock =
  | { readonly kind: 'part'; readonly part: Part; readonly rest: Fields }
  | {
      readonly kind: 'call'
      readonly call: { readonly id: string; readonly name: string; readonly arguments: Json }
      readonly rest: Fields // fields without a place in the event
    }
  | { readonly kind: 'result'; readonly result: ToolResult & { id: string }; readonly rest: Fields }
  | { readonly kind: 'misplaced'; readonly type: string }

/** Blocks allowed only in answers of the model, or only in requests. */
const ASSISTANT_ONLY = new Set(['thinking', 'redacted_thinking', 'tool_use'])
const USER_ONLY = new Set(['tool_result', 'image', 'document'])

export function readBlock(
  value: Json,
  path: string,
  role: 'user' | 'assistant',
  model: ModelRef,
  notes: Notes,
): ReadBlock {
  const block = unmarked(readFields(value, path, 'a content block'), notes)
  const type = requireText(block.type, `${path}.type`)
  if ((role === 'user' ? ASSISTANT_ONLY : USER_ONLY).has(type)) return { kind: 'misplaced', type }
  switch (type) {
    case 'text':
      return part(readText(block, path, notes))
    case 'thinking':
      return part(
        readThinking(block, path, model, notes),
        without(block, 'type', 'thinking', 'signature'),
      )
    case 'redacted_thinking':
      return part(
        { type, data: requireText(block.data, `${path}.data`), model },
        without(block, 'type', 'data'),
      )
    case 'image':
    case 'document':
      return part(readMedia(type, block, path))
    case 'tool_use':
      return readCall(block, path, notes)
    case 'tool_result':
      return readResult(block, path, notes)
    default:
      return part({ type: 'native', provider: PROVIDER, value: block })
  }
}

/** A block without cache marks, which each request sets again. */
export function unmarked(block: Fields, notes: Notes): Fields {
  if (!('cache_control' in block)) return block
  if (block.cache_control !== null) notes.cacheMarks += 1
  return without(block, 'cache_control')
}

function part(part: Part, rest: Fields = {}): ReadBlock {
  return { kind: 'part', part, rest }
}

function readText(block: Fields, path: string, notes: Notes): Part {
  const text = requireText(block.text, `${path}.text`)
  if (text.trim() === '') notes.problems.push(`${path}: an empty text block; it will not be sent`)
  const fields = without(block, 'type', 'text')
  return { type: 'text', text, ...(!isEmpty(fields) && { extra: { provider: PROVIDER, fields } }) }
}

function readThinking(block: Fields, path: string, model: ModelRef, notes: Notes): Part {
  const thinking = requireText(block.thinking, `${path}.thinking`)
  if (typeof block.signature === 'string' && block.signature !== '')
    return { type: 'thinking', thinking, signature: block.signature, model }
  notes.problems.push(`${path}: thinking without a signature; it will not be sent`)
  return { type: 'thinking', thinking, model }
}

/** Other sources (uploaded files, nested content) are kept unchanged. */
function readMedia(type: 'image' | 'document', block: Fields, path: string): Part {
  const source = readFields(block.source, `${path}.source`)
  const found = buildMedia(type, source, `${path}.source`)
  if (!found) return { type: 'native', provider: PROVIDER, value: block }
  const title = typeof block.title === 'string' ? block.title : undefined
  const fields = without(block, 'type', 'source', ...(title === undefined ? [] : ['title']))
  const media: Media = { ...found, ...(title !== undefined && { title }) }
  return { type, media, ...(!isEmpty(fields) && { extra: { provider: PROVIDER, fields } }) }
}

function buildMedia(type: 'image' | 'document', source: Fields, path: string): Media | undefined {
  const other = without(source, 'type', 'media_type', 'data', 'url')
  if (!isEmpty(other)) return undefined
  const text = (name: string) => requireText(source[name], `${path}.${name}`)
  if (source.type === 'url') text('url')
  else if (source.type !== 'base64' && source.type !== 'text') return undefined
  else for (const name of ['media_type', 'data']) text(name)
  return mediaOfSource(type, source)
}

function readCall(block: Fields, path: string, notes: Notes): ReadBlock {
  const call = {
    id: requireText(block.id, `${path}.id`),
    name: requireText(block.name, `${path}.name`),
    arguments: block.input ?? {},
  }
  if (!isFields(block.input)) notes.problems.push(`${path}.input: the input of a tool is an object`)
  return { kind: 'call', call, rest: without(block, 'type', 'id', 'name', 'input') }
}

function readResult(block: Fields, path: string, notes: Notes): ReadBlock {
  const id = requireText(block.tool_use_id, `${path}.tool_use_id`)
  const { is_error: isError, content } = block
  if (isError !== undefined && isError !== null && typeof isError !== 'boolean')
    throw wrongShape(`${path}.is_error`, 'true or false', isError)
  return {
    kind: 'result',
    result: {
      id,
      content: readResultContent(content, `${path}.content`, notes),
      status: isError === true ? 'failed' : 'completed',
    },
    rest: without(block, 'type', 'tool_use_id', 'content', 'is_error'),
  }
}

function readResultContent(content: Json | undefined, path: string, notes: Notes): Block[] {
  if (content === undefined || content === null) return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw wrongShape(path, 'a string or an array of blocks', content)
  return content.map((value: Json, index) => readResultBlock(value, `${path}[${index}]`, notes))
}

function readResultBlock(value: Json, path: string, notes: Notes): Block {
  const block = unmarked(readFields(value, path, 'a content block'), notes)
  const type = requireText(block.type, `${path}.type`)
  if (type === 'text') {
    const text = requireText(block.text, `${path}.text`)
    if (isEmpty(without(block, 'type', 'text'))) return { type: 'text', text }
  }
  if (type === 'image' && isEmpty(without(block, 'type', 'source'))) {
    const media = buildMedia('image', readFields(block.source, `${path}.source`), `${path}.source`)
    if (media?.data !== undefined) return { type, data: media.data, mimeType: media.mimeType }
    if (media?.uri !== undefined) return { type, uri: media.uri, mimeType: media.mimeType }
  }
  return { type: 'native', provider: PROVIDER, value: block }
}
