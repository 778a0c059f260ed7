// Messages of the AI SDK: `ModelMessage[]`.
import { fieldsIn, isRecord, listIn, textIn } from '../core/text/json.ts'
import type { Block, Part } from '../core/view/content.ts'
import { dataUrl } from '../wire/content-parts.ts'
import {
  type AnyMessage,
  byteLength,
  type Dialect,
  hasOnlyText,
  joinTexts,
  makeBase64,
  type Piece,
  plain,
  type ReadCall,
  readContent,
  rebuildList,
  rememberOriginal,
  withoutTexts,
  writeParts,
} from './dialect.ts'

const PROVIDER = 'ai-sdk'
const OWN_PARTS: ReadonlySet<unknown> = new Set([
  'tool-call',
  'tool-result',
  'reasoning',
  'reasoning-file',
  'tool-approval-request',
  'tool-approval-response',
  'custom',
])

export const aiSdkMessages: Dialect = {
  id: 'ai-sdk',
  matches(message) {
    const { role, content } = message
    if (role === 'tool') return Array.isArray(content) ? 'yes' : 'no'
    if (role !== 'system' && role !== 'user' && role !== 'assistant') return 'no'
    if (typeof message.type === 'string' || Array.isArray(message.tool_calls)) return 'no'
    if (isRecord(message.providerOptions)) return 'yes'
    if (typeof content === 'string') return 'maybe'
    if (!Array.isArray(content)) return 'no'
    const isOwn = content.some((value) => {
      const part = fieldsIn(value)
      const isMedia = (part.type === 'file' || part.type === 'image') && 'mediaType' in part
      return OWN_PARTS.has(part.type) || isMedia || 'image' in part || 'providerOptions' in part
    })
    if (isOwn) return 'yes'
    return content.every((part) => fieldsIn(part).type === 'text') ? 'maybe' : 'no'
  },
  read({ role, content }) {
    if (role === 'system') return [{ kind: 'system', text: textIn(content) ?? '' }]
    if (role === 'user') return [{ kind: 'user', content: readContent(content, readPart) }]
    if (role === 'assistant') return [readAnswer(content)]
    if (role === 'tool') return readResults(listIn(content))
    return [{ kind: 'kept', text: textIn(content) ?? '' }]
  },
  rebuild(message, remaining) {
    const { content } = message
    const parts = typeof content === 'string' ? [textPart(content)] : listIn(content)
    const rebuilt = rebuildList(parts, remaining, (rewritten, originals) => {
      const [original] = originals
      switch (rewritten.kind) {
        case 'user':
          return typeof rewritten.content === 'string'
            ? [textPart(rewritten.content)]
            : writeParts(rewritten.content, textPart)
        case 'answer':
          return [textPart(rewritten.text), ...withoutTexts(originals)]
        case 'result':
          return [{ ...fieldsIn(original), output: writeOutput(original, rewritten.content) }]
      }
    })
    return { ...message, content: rebuilt }
  },
  // Parts, because the prompt of a middleware has no plain text.
  make: (role, text) => ({ role, content: [textPart(text)] }),
}

function textPart(text: string): AnyMessage {
  return { type: 'text', text }
}

function readPart(value: unknown): Part {
  const part = fieldsIn(value)
  const text = textIn(part.text)
  if (part.type === 'text' && text !== undefined)
    return rememberOriginal({ type: 'text', text }, value)
  if (part.type !== 'image' && part.type !== 'file')
    return rememberOriginal({ type: 'native', provider: PROVIDER, value: plain(value) }, value)
  const tagged = fieldsIn(part.data)
  const given = part.image ?? tagged.data ?? tagged.url ?? tagged.text ?? part.data
  const mimeType = textIn(part.mediaType) ?? (part.type === 'image' ? 'image/*' : 'application/pdf')
  const title = textIn(part.filename)
  const media = {
    ...readData(given, mimeType, tagged.type === 'text'),
    ...(title !== undefined && { title }),
  }
  const isImage = mimeType.startsWith('image/')
  return rememberOriginal({ type: isImage ? 'image' : 'document', media }, value)
}

function readData(given: unknown, mimeType: string, isText: boolean) {
  const bytes = byteLength(given)
  if (bytes !== undefined)
    // Bytes are not copied: an image weighs by its pixels, a document by its length.
    return mimeType.startsWith('image/') ? { mimeType } : { mimeType, data: makeBase64(bytes) }
  const text = given instanceof Object && 'href' in given ? String(given.href) : textIn(given)
  if (text === undefined) return { mimeType }
  if (isText) return { mimeType, text }
  return /^(?:data|https?|file):/.test(text) ? dataUrl(text, mimeType) : { mimeType, data: text }
}

/** A provider-executed tool has its result in the same message: both stay in place. */
function readAnswer(content: unknown): Piece {
  if (!Array.isArray(content))
    return { kind: 'answer', parts: [{ type: 'text', text: textIn(content) ?? '' }], calls: [] }
  const calls: ReadCall[] = []
  const parts = content.map((value: unknown): Part => {
    const part = fieldsIn(value)
    const id = textIn(part.toolCallId)
    if (part.type !== 'tool-call' || id === undefined || part.providerExecuted === true)
      return readPart(value)
    calls.push({ id, name: textIn(part.toolName) ?? '', arguments: plain(part.input ?? {}) })
    return { type: 'tool_call', callId: id }
  })
  return { kind: 'answer', parts, calls, at: content.map((_, index) => index) }
}

function readResults(content: readonly unknown[]): Piece[] {
  const pieces = content.map((value, index): Piece => {
    const part = fieldsIn(value)
    if (part.type !== 'tool-result') return { kind: 'attached', at: [index] }
    const output = fieldsIn(part.output)
    const kind = textIn(output.type) ?? ''
    const status =
      kind === 'execution-denied' ? 'denied' : kind.startsWith('error') ? 'failed' : 'completed'
    const result = {
      id: textIn(part.toolCallId) ?? '',
      content: readOutput(output),
      status,
    } as const
    return { kind: 'result', result, at: [index] }
  })
  return pieces.length > 0 ? pieces : [{ kind: 'kept', text: '' }]
}

function readOutput({ type, value, reason }: AnyMessage): Block[] {
  if (type === 'content')
    return listIn(value).map((each) => {
      const part = fieldsIn(each)
      const text = textIn(part.text)
      if (part.type === 'text' && text !== undefined)
        return rememberOriginal({ type: 'text', text }, each)
      const mimeType = textIn(part.mediaType)
      const data = textIn(part.data) ?? textIn(fieldsIn(part.data).data)
      if (mimeType?.startsWith('image/'))
        return rememberOriginal(
          { type: 'image', mimeType, ...(data !== undefined && { data }) } as const,
          each,
        )
      return rememberOriginal(
        { type: 'native', provider: PROVIDER, value: plain(each) } as const,
        each,
      )
    })
  const shown = value ?? reason
  if (shown === undefined || shown === null) return []
  return [{ type: 'text', text: typeof shown === 'string' ? shown : JSON.stringify(plain(shown)) }]
}

/** The same kind of output if it can hold text; a shortened JSON value becomes text. */
function writeOutput(original: unknown, blocks: readonly Block[]): AnyMessage {
  const { type, value: _, ...rest } = fieldsIn(fieldsIn(original).output)
  if (!hasOnlyText(blocks)) return { ...rest, type: 'content', value: writeParts(blocks, textPart) }
  const text = joinTexts(blocks)
  if (type === 'execution-denied') return { ...rest, type, reason: text }
  return {
    ...rest,
    type: type === 'error-text' || type === 'error-json' ? 'error-text' : 'text',
    value: text,
  }
}
