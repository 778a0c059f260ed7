// Items of OpenAI's Responses API: `ResponseInputItem[]`
import { fieldsIn, listIn, textIn } from '../core/text/json.ts'
import type { Block, Part } from '../core/view/content.ts'
import { dataUrl, readAudio, readResponsesPart } from '../wire/content-parts.ts'
import {
  type AnyMessage,
  argumentsIn,
  type Dialect,
  hasOnlyText,
  joinTexts,
  originalOf,
  type Piece,
  plain,
  type Remaining,
  rememberOriginal,
  writeParts,
} from './dialect.ts'

const PROVIDER = 'openai'
const ITEMS =
  /^(?:function_call|custom_tool_call|reasoning|item_reference|compaction|program|tool_search_output|additional_tools|configuration_update)|_call$|_call_output$|^mcp_/
/** Settings for the following turns, not conversation. */
const SETTINGS: ReadonlySet<unknown> = new Set(['additional_tools', 'configuration_update'])
const PARTS: ReadonlySet<unknown> = new Set([
  'input_text',
  'input_image',
  'input_file',
  'input_audio',
  'output_text',
  'output_audio',
])

export const openaiResponsesMessages: Dialect = {
  id: 'openai-responses',
  matches({ type, role, content }) {
    if (typeof type === 'string' && type !== 'message') return ITEMS.test(type) ? 'yes' : 'no'
    if (typeof role !== 'string') return 'no'
    const types = listIn(content).map((part) => fieldsIn(part).type)
    const isItem = type === 'message'
    if (types.some((each) => PARTS.has(each) || (isItem && each === 'refusal'))) return 'yes'
    if (typeof content === 'string')
      return role === 'tool' || role === 'function' ? 'no' : isItem ? 'yes' : 'maybe'
    return types.length === 0 && isItem ? 'yes' : 'no'
  },
  read(item) {
    const type = textIn(item.type) ?? 'message'
    if (type === 'message') return [readMessage(item)]
    if (SETTINGS.has(type)) return [{ kind: 'kept', text: JSON.stringify(plain(item)) }]
    const answered = answeredCall(item)
    if (answered !== undefined) {
      const content = readOutput(item, readPart, native)
      // Tools found by a search can be called from there on.
      const isKept = type === 'tool_search_output'
      return [{ kind: 'result', result: { id: answered, content, status: 'completed' }, isKept }]
    }
    const callId = textIn(item.call_id)
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
    if (rewritten.kind === 'result') return writeOutput(item, rewritten.content)
    const { content } = rewritten
    if (typeof content === 'string') return { ...item, content }
    const isString = typeof item.content === 'string' && hasOnlyText(content)
    const written = isString
      ? joinTexts(content as readonly Block[])
      : writeParts(content, inputText)
    return { ...item, content: written }
  },
  bond: {
    needs(items, number) {
      if (items[number]?.id === undefined || !isOutput(items[number])) return []
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

/** The model's text and calls. Without its id an item is independent of its reasoning. */
function isOutput(item: AnyMessage | undefined): boolean {
  return item?.role === 'assistant' || /_call$/.test(textIn(item?.type) ?? '')
}

function asNative(item: AnyMessage): Piece {
  return { kind: 'answer', parts: [native(item)], calls: [], joins: true }
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
  return rememberOriginal(readResponsesPart(value) ?? readOtherMedia(value) ?? native(value), value)
}

/** Audio and provider-stored images: they have a weight. */
function readOtherMedia(value: unknown): Part | undefined {
  const isImage = fieldsIn(value).type === 'input_image'
  return isImage ? { type: 'image', media: { mimeType: 'image/*' } } : readAudio(value)
}

function native(value: unknown) {
  return { type: 'native', provider: PROVIDER, value: plain(value) } as const
}

type ReadPart = (value: unknown) => Part
type Native = (value: unknown) => Block

/** The call that an item answers; undefined for other items. */
function answeredCall(item: AnyMessage): string | undefined {
  const type = textIn(item.type) ?? ''
  if (!type.endsWith('_output')) return undefined
  // Its `id` is the call's.
  return textIn(item.call_id) ?? (type === 'local_shell_call_output' ? textIn(item.id) : undefined)
}

function readOutput(item: AnyMessage, readPart: ReadPart, native: Native): Block[] {
  const { type, output } = item
  if (type === 'tool_search_output') return [native(item.tools)]
  if (typeof output === 'string') return [{ type: 'text', text: output }]
  if (type === 'computer_call_output') return [readScreenshot(output)]
  if (!Array.isArray(output))
    return output === undefined || output === null ? [] : [rememberOriginal(native(output), output)]
  return output.map((value: unknown) => {
    if (type === 'shell_call_output')
      return rememberOriginal({ type: 'text', text: printed(value) }, value)
    const part = readPart(value)
    if (part.type === 'text') return rememberOriginal({ type: 'text', text: part.text }, value)
    if (part.type === 'image') return rememberOriginal({ ...part.media, type: 'image' }, value)
    return rememberOriginal(native(value), value)
  })
}

/** The item's result field with new content in the shape of its type. */
function writeOutput(item: AnyMessage, blocks: readonly Block[]): AnyMessage {
  const { type, output } = item
  if (type === 'tool_search_output') return item
  if (typeof output === 'string' && hasOnlyText(blocks))
    return { ...item, output: joinTexts(blocks) }
  if (type === 'computer_call_output') {
    const kept = blocks.map(originalOf).find((original) => original !== undefined)
    return { ...item, output: kept ?? BLANK }
  }
  if (type === 'shell_call_output') {
    const outcome = worstOutcome(listIn(output))
    const write = (text: string) => ({ stdout: text, stderr: '', outcome })
    return { ...item, output: writeParts(blocks, write) }
  }
  return { ...item, output: writeParts(blocks, inputText) }
}

function inputText(text: string): AnyMessage {
  return { type: 'input_text', text }
}

function readScreenshot(output: unknown): Block {
  const media = dataUrl(textIn(fieldsIn(output).image_url), 'image/png') ?? { mimeType: 'image/*' }
  return rememberOriginal({ ...media, type: 'image' }, output)
}

function printed(value: unknown): string {
  const { stdout, stderr } = fieldsIn(value)
  return [stdout, stderr].filter((text) => typeof text === 'string' && text !== '').join('\n')
}

/** When several outputs become one, a failure must not be lost. */
function worstOutcome(outputs: readonly unknown[]): unknown {
  const outcomes = outputs.map((value) => fieldsIn(value).outcome)
  const failed = outcomes.filter((outcome) => (fieldsIn(outcome).exit_code ?? 0) !== 0)
  const late = outcomes.find((outcome) => fieldsIn(outcome).type === 'timeout')
  return late ?? failed.at(-1) ?? outcomes.at(-1)
}

/** One transparent pixel: the output of such a call must be an image. */
const BLANK = {
  type: 'computer_screenshot',
  image_url:
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
}
