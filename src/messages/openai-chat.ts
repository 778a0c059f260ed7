// Messages of OpenAI's Chat Completions: `ChatCompletionMessageParam[]`
import { fieldsIn, listIn, textIn } from '../core/text/json.ts'
import type { Block, Part } from '../core/view/content.ts'
import { readAudio, readChatPart } from '../wire/content-parts.ts'
import {
  type AnyMessage,
  argumentsIn,
  type Dialect,
  hasOnlyText,
  joinTexts,
  type Piece,
  plain,
  type ReadCall,
  type Remaining,
  readContent,
  rebuildList,
  rememberOriginal,
  textsIn,
  writeParts,
} from './dialect.ts'

const PROVIDER = 'openai'
const ROLES: ReadonlySet<unknown> = new Set([
  'system',
  'developer',
  'user',
  'assistant',
  'tool',
  'function',
])
const OWN_PARTS: ReadonlySet<unknown> = new Set(['image_url', 'input_audio', 'refusal'])

export const openaiChatMessages: Dialect = {
  id: 'openai-chat',
  matches(message) {
    const { role, content } = message
    if (!ROLES.has(role) || typeof message.type === 'string') return 'no'
    if (role === 'developer' || role === 'function' || typeof message.tool_call_id === 'string')
      return 'yes'
    if (Array.isArray(message.tool_calls) || message.function_call) return 'yes'
    if (typeof content === 'string' || content === null) return 'maybe'
    if (!Array.isArray(content) || role === 'tool') return 'no'
    const types = content.map((part) => fieldsIn(part).type)
    if (types.some((type) => OWN_PARTS.has(type))) return 'yes'
    const isOwn = content.some((part) => 'file' in fieldsIn(part))
    return isOwn ? 'yes' : types.every((type) => type === 'text') ? 'maybe' : 'no'
  },
  read(message) {
    const { role, content } = message
    switch (role) {
      case 'system':
      case 'developer':
        return [{ kind: 'system', text: textsIn(content) }]
      case 'tool':
      case 'function': {
        const id = textIn(message.tool_call_id) ?? legacyId(message.name)
        return [
          { kind: 'result', result: { id, content: readBlocks(content), status: 'completed' } },
        ]
      }
      case 'assistant':
        return [readAnswer(message)]
      case 'user':
        return [{ kind: 'user', content: readContent(content, readPart) }]
      default:
        return [{ kind: 'kept', text: textsIn(content) }]
    }
  },
  rebuild: (message, remaining) => ({ ...message, content: rebuildContent(message, remaining) }),
  make: (role, text) => ({ role, content: text }),
}

function rebuildContent({ content }: AnyMessage, remaining: readonly Remaining[]): unknown {
  const [only] = remaining
  const { rewritten } = only ?? {}
  if (!rewritten) return content
  if (rewritten.kind === 'answer') return rewritten.text
  const parts = rewritten.content
  if (typeof parts === 'string') return parts
  const isString = typeof content === 'string' && hasOnlyText(parts)
  if (isString) return joinTexts(parts as readonly Block[])
  return rebuildList(listIn(content), [{ rewritten }], () => writeParts(parts, textPart))
}

function textPart(text: string): AnyMessage {
  return { type: 'text', text }
}

function legacyId(name: unknown): string {
  return `function ${textIn(name) ?? ''}`
}

function readPart(value: unknown): Part {
  return rememberOriginal(readChatPart(value) ?? readAudio(value) ?? native(value), value)
}

function native(value: unknown) {
  return { type: 'native', provider: PROVIDER, value: plain(value) } as const
}

function readBlocks(content: unknown): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return listIn(content).map((value) => {
    const text = textIn(fieldsIn(value).text)
    return rememberOriginal(text === undefined ? native(value) : { type: 'text', text }, value)
  })
}

function readAnswer(message: AnyMessage): Piece {
  const { role: _, content, tool_calls: listed, function_call: legacy, name: __, ...rest } = message
  const calls: ReadCall[] = listIn(listed).map((value) => {
    const call = fieldsIn(value)
    const {
      name,
      arguments: given,
      input,
    } = { ...fieldsIn(call.function), ...fieldsIn(call.custom) }
    return {
      id: textIn(call.id) ?? '',
      name: textIn(name) ?? '',
      arguments: argumentsIn(given ?? input),
    }
  })
  if (legacy) {
    const { name, arguments: given } = fieldsIn(legacy)
    calls.push({ id: legacyId(name), name: textIn(name) ?? '', arguments: argumentsIn(given) })
  }
  const said = readContent(content, readPart)
  const texts: Part[] = typeof said === 'string' ? [{ type: 'text', text: said }] : said
  const others = Object.values(rest).some((value) => value !== null && value !== undefined)
  const parts: Part[] = [
    ...(others ? [native(rest)] : []),
    ...texts,
    ...calls.map(({ id }) => ({ type: 'tool_call', callId: id }) as const),
  ]
  return { kind: 'answer', parts, calls }
}
