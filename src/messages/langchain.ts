// Messages of LangChain: instances of `BaseMessage`.

import { PrecisError } from '../core/errors.ts'
import { fieldsIn, listIn, textIn } from '../core/text/json.ts'
import type { Block, Part } from '../core/view/content.ts'
import { dataUrl } from '../wire/content-parts.ts'
import {
  type AnyMessage,
  copyWith,
  type Dialect,
  hasOnlyText,
  joinTexts,
  type Piece,
  plain,
  type ReadCall,
  readContent,
  rememberOriginal,
  textsIn,
  writeParts,
} from './dialect.ts'

const PROVIDER = 'langchain'
const KINDS: ReadonlySet<unknown> = new Set([
  'human',
  'ai',
  'system',
  'developer',
  'tool',
  'function',
])

export const langchainMessages: Dialect = {
  id: 'langchain',
  matches: (message) => (readKind(message) === undefined ? 'no' : 'yes'),
  read(message) {
    const { content } = message
    switch (readKind(message)) {
      case 'human':
        return [{ kind: 'user', content: readContent(content, readPart) }]
      case 'ai':
        return [readAnswer(message)]
      case 'system':
      case 'developer':
        return [{ kind: 'system', text: textsIn(content) }]
      case 'tool':
      case 'function': {
        const id = textIn(message.tool_call_id) ?? ''
        const status = message.status === 'error' ? 'failed' : 'completed'
        return [{ kind: 'result', result: { id, content: readBlocks(content), status } }]
      }
      default:
        return [{ kind: 'kept', text: textsIn(content) }]
    }
  },
  rebuild(message, remaining) {
    const rewritten = remaining[0]?.rewritten
    if (!rewritten) return message
    const { content } = message
    const parts = rewritten.kind === 'answer' ? rewritten.text : rewritten.content
    if (typeof parts === 'string') return copyWith(message, { content: parts })
    const isString = typeof content === 'string' && hasOnlyText(parts)
    const written = isString ? joinTexts(parts as readonly Block[]) : writeParts(parts, textPart)
    return copyWith(message, { content: written })
  },
  make(role, text, like) {
    const kind = role === 'user' ? 'human' : 'ai'
    const found = like.find((message) => readKind(message) === kind)?.constructor ?? classes[kind]
    if (!found)
      throw new PrecisError('invalid-input', `No message of the kind "${kind}" is in the array.`, {
        hint: 'Use `compactMessages` of precis/langchain: it knows the classes of LangChain.',
      })
    return new (found as MessageClass)({ content: text }) as AnyMessage
  },
}

type MessageClass = new (fields: { content: string }) => object

/** LangChain's classes, passed in by the adapter: the core does not import LangChain. */
interface Classes {
  human: MessageClass | undefined
  ai: MessageClass | undefined
}

const classes: Classes = { human: undefined, ai: undefined }

export function provideClasses(given: Readonly<Classes>): void {
  Object.assign(classes, given)
}

function readKind(message: AnyMessage): string | undefined {
  const { getType, _getType: old } = message
  if (typeof getType !== 'function' && typeof old !== 'function') return undefined
  const kind: unknown = typeof getType === 'function' ? getType.call(message) : message.type
  return KINDS.has(kind) ? String(kind) : 'other'
}

function textPart(text: string): AnyMessage {
  return { type: 'text', text }
}

function readPart(value: unknown): Part {
  const part = fieldsIn(value)
  const text = textIn(part.text)
  if (part.type === 'text' && text !== undefined)
    return rememberOriginal({ type: 'text', text }, value)
  const url = textIn(part.image_url) ?? textIn(fieldsIn(part.image_url).url) ?? textIn(part.url)
  const source = fieldsIn(part.source)
  const data = textIn(part.data) ?? textIn(source.data)
  const mimeType =
    textIn(part.mimeType) ?? textIn(part.mime_type) ?? textIn(source.media_type) ?? 'image/png'
  if (part.type === 'image' || part.type === 'image_url') {
    const media = url === undefined ? { mimeType, ...(data && { data }) } : dataUrl(url, mimeType)
    return rememberOriginal({ type: 'image', media }, value)
  }
  if (data !== undefined)
    return rememberOriginal({ type: 'document', media: { mimeType, data } }, value)
  return rememberOriginal({ type: 'native', provider: PROVIDER, value: plain(value) }, value)
}

function readBlocks(content: unknown): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return listIn(content).map((value) => {
    const part = readPart(value)
    if (part.type === 'text') return rememberOriginal({ type: 'text', text: part.text }, value)
    if (part.type === 'image') return rememberOriginal({ ...part.media, type: 'image' }, value)
    return rememberOriginal({ type: 'native', provider: PROVIDER, value: plain(value) }, value)
  })
}

/** A provider's call blocks duplicate `tool_calls`, which counts. */
const CALL_BLOCKS: ReadonlySet<unknown> = new Set([
  'tool_use',
  'tool_call',
  'function_call',
  'input_json_delta',
])

function readAnswer(message: AnyMessage): Piece {
  const calls: ReadCall[] = listIn(message.tool_calls).map((value, index) => {
    const { id, name, args } = fieldsIn(value)
    return {
      id: textIn(id) ?? `call ${index}`,
      name: textIn(name) ?? '',
      arguments: plain(args ?? {}),
    }
  })
  const { content } = message
  const said: Part[] = Array.isArray(content)
    ? content.filter((part) => !CALL_BLOCKS.has(fieldsIn(part).type)).map(readPart)
    : [{ type: 'text', text: textIn(content) ?? '' }]
  const reasoning = textIn(fieldsIn(message.additional_kwargs).reasoning_content)
  const parts: Part[] = [
    ...(reasoning === undefined
      ? []
      : [{ type: 'native', provider: PROVIDER, value: reasoning } as const]),
    ...said,
    ...calls.map(({ id }) => ({ type: 'tool_call', callId: id }) as const),
  ]
  return { kind: 'answer', parts, calls }
}
