// Messages of Anthropic's API: `MessageParam[]`
import type { Block, Part } from '../core/view/content.ts'
import {
  type AnyMessage,
  base64Of,
  type Dialect,
  fieldsIn,
  hasOnlyText,
  joinTexts,
  listIn,
  madeOf,
  type Piece,
  plain,
  type ReadCall,
  rebuildList,
  textIn,
  withoutTexts,
  writeParts,
} from './dialect.ts'

const PROVIDER = 'anthropic'
const OWN_BLOCKS: ReadonlySet<unknown> = new Set([
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
  'server_tool_use',
  'web_search_tool_result',
  'search_result',
  'document',
  'container_upload',
])
const KNOWN_BLOCKS: ReadonlySet<unknown> = new Set([...OWN_BLOCKS, 'text', 'image'])

export const anthropicMessages: Dialect = {
  id: 'anthropic',
  matches({ role, content }) {
    if (role !== 'user' && role !== 'assistant') return role === 'system' ? 'maybe' : 'no'
    if (typeof content === 'string') return 'maybe'
    if (!Array.isArray(content)) return 'no'
    const types = content.map((block) => fieldsIn(block).type)
    const isOwn = content.some((block) => {
      const { type: kind, source } = fieldsIn(block)
      return OWN_BLOCKS.has(kind) || (kind === 'image' && source !== undefined)
    })
    if (isOwn) return 'yes'
    return types.every((each) => KNOWN_BLOCKS.has(each)) ? 'maybe' : 'no'
  },
  read: ({ role, content }) =>
    role === 'assistant'
      ? [readAnswer(content)]
      : role === 'system'
        ? [{ kind: 'system', text: textOf(content) }]
        : readUser(content),
  rebuild(message, remaining) {
    const { content } = message
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listIn(content)
    const rebuilt = rebuildList(blocks, remaining, (rewritten, originals) => {
      const [original] = originals
      switch (rewritten.kind) {
        case 'user':
          return typeof rewritten.content === 'string'
            ? [textBlock(rewritten.content)]
            : writeParts(rewritten.content, textBlock)
        case 'answer':
          return [textBlock(rewritten.text), ...withoutTexts(originals)]
        case 'result': {
          const { content: blocks } = rewritten
          const isString = typeof fieldsIn(original).content === 'string' && hasOnlyText(blocks)
          const written = isString ? joinTexts(blocks) : writeParts(blocks, textBlock)
          return [{ ...fieldsIn(original), content: written }]
        }
      }
    })
    return { ...message, content: rebuilt }
  },
  make: (role, text) => ({ role, content: text }),
}

function textBlock(text: string): AnyMessage {
  return { type: 'text', text }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return joinTexts(listIn(content).map((block) => ({ text: textIn(fieldsIn(block).text) ?? '' })))
}

function readUser(content: unknown): Piece[] {
  if (!Array.isArray(content)) return [{ kind: 'user', content: textIn(content) ?? '' }]
  const pieces: Piece[] = []
  const said: number[] = []
  content.forEach((value: unknown, index) => {
    const block = fieldsIn(value)
    if (block.type !== 'tool_result') {
      said.push(index)
      return
    }
    const status = block.is_error === true ? 'failed' : 'completed'
    const blocks = readResult(block.content)
    const result = { id: textIn(block.tool_use_id) ?? '', content: blocks, status } as const
    pieces.push({ kind: 'result', result, at: [index] })
  })
  if (said.length > 0 || pieces.length === 0)
    pieces.push({ kind: 'user', content: said.map((index) => readPart(content[index])), at: said })
  return pieces
}

function readResult(content: unknown): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return listIn(content).map((value) => {
    const block = fieldsIn(value)
    const text = textIn(block.text)
    if (block.type === 'text' && text !== undefined) return madeOf({ type: 'text', text }, value)
    const { data, media_type: mimeType } = fieldsIn(block.source)
    if (block.type === 'image')
      return madeOf({ type: 'image', ...media(data, mimeType, 'image/png') }, value)
    return madeOf({ type: 'native', provider: PROVIDER, value: plain(value) }, value)
  })
}

function media(data: unknown, mimeType: unknown, otherwise: string) {
  return {
    mimeType: textIn(mimeType) ?? otherwise,
    ...(typeof data === 'string' && { data }),
  }
}

function readPart(value: unknown): Part {
  const block = fieldsIn(value)
  const text = textIn(block.text)
  if (block.type === 'text' && text !== undefined) return madeOf({ type: 'text', text }, value)
  const source = fieldsIn(block.source)
  if (block.type === 'image')
    return madeOf(
      { type: 'image', media: media(source.data, source.media_type, 'image/png') },
      value,
    )
  if (block.type === 'document') {
    const isText = source.type === 'text' && typeof source.data === 'string'
    const shown = isText
      ? { mimeType: 'text/plain', text: String(source.data) }
      : source.type === 'content'
        ? { mimeType: 'text/plain', text: textOf(source.content) }
        : media(source.data ?? base64Of(UNKNOWN_BYTES), source.media_type, 'application/pdf')
    return madeOf({ type: 'document', media: shown }, value)
  }
  return madeOf({ type: 'native', provider: PROVIDER, value: plain(value) }, value)
}

/** A document that is elsewhere weighs as much as a short one. */
const UNKNOWN_BYTES = 30_000

function readAnswer(content: unknown): Piece {
  if (!Array.isArray(content))
    return { kind: 'answer', parts: [{ type: 'text', text: textIn(content) ?? '' }], calls: [] }
  const calls: ReadCall[] = []
  const parts = content.map((value: unknown): Part => {
    const block = fieldsIn(value)
    const id = textIn(block.id)
    if (block.type !== 'tool_use' || id === undefined) return readPart(value)
    calls.push({ id, name: textIn(block.name) ?? '', arguments: plain(block.input ?? {}) })
    return { type: 'tool_call', callId: id }
  })
  return { kind: 'answer', parts, calls, at: content.map((_, index) => index) }
}
