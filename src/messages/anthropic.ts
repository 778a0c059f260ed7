// Messages of Anthropic's API: `MessageParam[]`.
import { fieldsIn, listIn, textIn } from '../core/text/json.ts'
import type { Block, Media, Part } from '../core/view/content.ts'
import { mediaOfSource } from '../wire/content-parts.ts'
import {
  type AnyMessage,
  type Dialect,
  hasOnlyText,
  joinTexts,
  makeBase64,
  type Piece,
  plain,
  type ReadCall,
  rebuildList,
  rememberOriginal,
  textsIn,
  withoutTexts,
  writeParts,
} from './dialect.ts'

const PROVIDER = 'anthropic'
/** Server tools have many block types: `web_fetch_tool_result`, `mcp_tool_use`, `tool_addition`. */
const OWN_BLOCK =
  /(?:^|_)tool_(?:use|result|listing|addition|removal)$|^(?:redacted_)?thinking$|^(?:search_result|document|container_upload|compaction|fallback)$/
const SHARED_BLOCKS: ReadonlySet<unknown> = new Set(['text', 'image'])

function isOwnBlock(type: unknown): boolean {
  return typeof type === 'string' && OWN_BLOCK.test(type)
}

export const anthropicMessages: Dialect = {
  id: 'anthropic',
  matches({ role, content }) {
    if (role !== 'user' && role !== 'assistant') return role === 'system' ? 'maybe' : 'no'
    if (typeof content === 'string') return 'maybe'
    if (!Array.isArray(content)) return 'no'
    const types = content.map((block) => fieldsIn(block).type)
    const isOwn = content.some((block) => {
      const { type: kind, source } = fieldsIn(block)
      return isOwnBlock(kind) || (kind === 'image' && source !== undefined)
    })
    if (isOwn) return 'yes'
    return types.every((each) => SHARED_BLOCKS.has(each)) ? 'maybe' : 'no'
  },
  read: ({ role, content }) =>
    role === 'assistant'
      ? [readAnswer(content)]
      : role === 'system'
        ? [{ kind: 'system', text: textsIn(content) }]
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
    if (block.type === 'text' && text !== undefined)
      return rememberOriginal({ type: 'text', text }, value)
    const media = readDocument(block)
    if (media?.text !== undefined)
      return rememberOriginal({ type: 'text', text: media.text }, value)
    return block.type === 'image'
      ? rememberOriginal({ ...readImage(block), type: 'image' }, value)
      : rememberOriginal(native(value), value)
  })
}

function readPart(value: unknown): Part {
  const block = fieldsIn(value)
  const text = textIn(block.text)
  if (block.type === 'text' && text !== undefined)
    return rememberOriginal({ type: 'text', text }, value)
  if (block.type === 'image')
    return rememberOriginal({ type: 'image', media: readImage(block) }, value)
  const media = readDocument(block)
  return rememberOriginal(media ? { type: 'document', media } : native(value), value)
}

function readImage({ source }: AnyMessage): Media {
  return mediaOfSource('image', source) ?? { mimeType: 'image/*' }
}

/** Undefined for other blocks. A search result is a text with a title, too. */
function readDocument(block: AnyMessage): Media | undefined {
  const title = textIn(block.title)
  const named = title === undefined ? {} : { title }
  if (block.type === 'search_result')
    return { ...named, mimeType: 'text/plain', text: textsIn(block.content) }
  if (block.type !== 'document') return undefined
  const found = mediaOfSource('document', block.source)
  if (found?.text !== undefined || found?.data !== undefined) return { ...named, ...found }
  const source = fieldsIn(block.source)
  return source.type === 'content'
    ? { ...named, mimeType: 'text/plain', text: textsIn(source.content) }
    : { ...named, mimeType: 'application/pdf', data: makeBase64(UNKNOWN_BYTES) }
}

function native(value: unknown) {
  return { type: 'native', provider: PROVIDER, value: plain(value) } as const
}

/** A linked document weighs like a short one. */
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
