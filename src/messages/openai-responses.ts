// Items of OpenAI's Responses API: `ResponseInputItem[]`
import type { Block, Part } from '../core/view/content.ts'
import {
  type AnyMessage,
  argumentsIn,
  type Dialect,
  fieldsIn,
  hasOnlyText,
  joinTexts,
  listIn,
  madeOf,
  mediaOf,
  type Piece,
  plain,
  type Remaining,
  textIn,
  writeParts,
} from './dialect.ts'

const PROVIDER = 'openai'
const ITEMS =
  /^(?:function_call|custom_tool_call|reasoning|item_reference|compaction|program)|_call$|_call_output$|^mcp_/
const PARTS: ReadonlySet<unknown> = new Set([
  'input_text',
  'input_image',
  'input_file',
  'input_audio',
  'output_text',
])

export const openaiResponsesMessages: Dialect = {
  id: 'openai-responses',
  matches({ type, role, content }) {
    if (typeof type === 'string' && type !== 'message') return ITEMS.test(type) ? 'yes' : 'no'
    if (typeof role !== 'string') return 'no'
    const types = listIn(content).map((part) => fieldsIn(part).type)
    if (types.some((each) => PARTS.has(each))) return 'yes'
    if (typeof content === 'string')
      return role === 'tool' || role === 'function' ? 'no' : type === 'message' ? 'yes' : 'maybe'
    return types.length === 0 && type === 'message' ? 'yes' : 'no'
  },
  read(item) {
    const type = textIn(item.type) ?? 'message'
    if (type === 'message') return [readMessage(item)]
    const callId = textIn(item.call_id)
    if (callId !== undefined && type.endsWith('_output')) {
      const output = readOutput(item.output)
      return [{ kind: 'result', result: { id: callId, content: output, status: 'completed' } }]
    }
    if (callId === undefined || !type.endsWith('_call')) return [asNative(item)]
    const name = textIn(item.name) ?? type
    const given = item.arguments ?? item.input ?? item.action ?? {}
    const call = { id: callId, name, arguments: argumentsIn(given) }
    return [{ kind: 'answer', parts: [{ type: 'tool_call', callId }], calls: [call], joins: true }]
  },
  rebuild(item, remaining) {
    const [{ rewritten } = {} as Remaining] = remaining
    if (!rewritten) return item
    if (rewritten.kind === 'answer')
      return 'content' in item && 'role' in item ? { ...item, content: rewritten.text } : item
    const parts = rewritten.content
    const field = rewritten.kind === 'result' ? 'output' : 'content'
    if (typeof parts === 'string') return { ...item, [field]: parts }
    const isString = typeof item[field] === 'string' && hasOnlyText(parts)
    const written = isString ? joinTexts(parts as readonly Block[]) : writeParts(parts, inputText)
    return { ...item, [field]: written }
  },
  bond: {
    needs(items, number) {
      if (items[number]?.id === undefined) return []
      let before = number - 1
      while (isOutput(items[before])) before -= 1
      const reasoning: number[] = []
      for (; items[before]?.type === 'reasoning'; before -= 1) reasoning.push(before)
      return reasoning
    },
    free: ({ id, ...item }) => item,
  },
  make: (role, text) => ({ role, content: text }),
}

/** What the model says and calls. Without its id it stands by itself, whatever reasoning led to it. */
function isOutput(item: AnyMessage | undefined): boolean {
  return item?.role === 'assistant' || /_call$/.test(textIn(item?.type) ?? '')
}

function inputText(text: string): AnyMessage {
  return { type: 'input_text', text }
}

function asNative(item: AnyMessage): Piece {
  const parts: Part[] = [{ type: 'native', provider: PROVIDER, value: plain(item) }]
  return { kind: 'answer', parts, calls: [], joins: true }
}

function readMessage({ role, content }: AnyMessage): Piece {
  const parts = typeof content === 'string' ? content : listIn(content).map(readPart)
  if (role === 'user') return { kind: 'user', content: parts }
  if (role === 'assistant') {
    const said: Part[] = typeof parts === 'string' ? [{ type: 'text', text: parts }] : parts
    return { kind: 'answer', parts: said, calls: [], joins: true }
  }
  const text =
    typeof parts === 'string'
      ? parts
      : joinTexts(parts.map((part) => ({ text: part.type === 'text' ? part.text : '' })))
  return { kind: role === 'system' || role === 'developer' ? 'system' : 'kept', text }
}

function readPart(value: unknown): Part {
  const part = fieldsIn(value)
  const text = textIn(part.text) ?? textIn(part.refusal)
  if (text !== undefined) return madeOf({ type: 'text', text }, value)
  const url = textIn(part.image_url)
  if (url !== undefined) return madeOf({ type: 'image', media: mediaOf(url, 'image/png') }, value)
  if (part.type === 'input_image')
    return madeOf({ type: 'image', media: { mimeType: 'image/png' } }, value)
  const data = textIn(part.file_data) ?? textIn(fieldsIn(part.input_audio).data)
  if (data === undefined)
    return madeOf({ type: 'native', provider: PROVIDER, value: plain(value) }, value)
  const title = textIn(part.filename)
  const media = { ...mediaOf(data, 'application/pdf'), data, ...(title !== undefined && { title }) }
  return madeOf({ type: 'document', media }, value)
}

function readOutput(output: unknown): Block[] {
  if (typeof output === 'string') return [{ type: 'text', text: output }]
  if (!Array.isArray(output))
    return output === undefined || output === null
      ? []
      : [madeOf({ type: 'native', provider: PROVIDER, value: plain(output) }, output)]
  return output.map((value: unknown) => {
    const part = readPart(value)
    if (part.type === 'text') return madeOf({ type: 'text', text: part.text }, value)
    if (part.type === 'image') return madeOf({ ...part.media, type: 'image' }, value)
    return madeOf({ type: 'native', provider: PROVIDER, value: plain(value) }, value)
  })
}
