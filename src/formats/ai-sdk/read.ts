// The messages of Vercel's AI SDK: those for models, and those for a page, which contain results.
import type { Json } from '../../core/text/json.ts'
import type { Block, ModelRef, Part, ToolResult, ToolStatus } from '../../core/view/content.ts'
import { dataUrl } from '../../wire/content-parts.ts'
import type { Origin } from '../reading/conversation.ts'
import { ROOT } from '../reading/json-items.ts'
import type { RawRecord } from '../reading/raw.ts'
import {
  type Fields,
  fieldsIn,
  isFields,
  keptStatus,
  listIn,
  modelRef,
  textIn,
} from '../reading/raw.ts'
import { type KeptBecause, OneThreadReader } from '../reading/record-reader.ts'
import type { Sample } from '../session-format.ts'

export const AI_SDK = 'ai-sdk'
/** The provider name under which précis stores what the messages have no field for. */
export const OWN = 'precis'

const OWN_PARTS: ReadonlySet<unknown> = new Set([
  'tool-call',
  'tool-result',
  'reasoning',
  'step-start',
])

export function isAiSdk({ items }: Sample): boolean {
  return items.some(({ list, value }) => {
    if ((list !== 'messages' && list !== ROOT) || !isFields(value)) return false
    if (typeof value.role !== 'string' || isFields(value.info)) return false
    const parts = Array.isArray(value.parts) ? value.parts : listIn(value.content)
    return (
      Array.isArray(value.parts) ||
      parts.some(
        (part) => OWN_PARTS.has(fieldsIn(part).type) || 'providerOptions' in fieldsIn(part),
      )
    )
  })
}

export class MessageReader extends OneThreadReader {
  #answers = 0
  #hasStarted = false

  read(message: Fields, record: RawRecord): KeptBecause {
    const origin = { record }
    const parts = Array.isArray(message.parts) ? message.parts : message.content
    switch (message.role) {
      case 'system': {
        const data = typeof parts === 'string' ? parts : textsIn(parts)
        if (this.#hasStarted) this.conversation.reminder(data, origin)
        else this.conversation.prompt(data, origin)
        return undefined
      }
      case 'user':
        this.#user(parts, origin)
        break
      case 'assistant':
        this.#answer(parts, origin, modelRef('unknown', fieldsIn(message.metadata).model))
        break
      case 'tool':
        this.#results(listIn(parts), origin)
        break
      default:
        return 'a message of an unknown role'
    }
    this.#hasStarted = true
    return undefined
  }

  #user(content: Json | undefined, origin: Origin): void {
    const values = typeof content === 'string' ? [{ type: 'text', text: content }] : listIn(content)
    const said = values.filter((value) => !isReminder(value)).flatMap(userPart)
    const reminders = values.filter(isReminder)
    if (said.length > 0 || reminders.length === 0) this.conversation.user(said, origin, 'typed')
    reminders.forEach((value, index) => {
      const first = said.length === 0 && index === 0
      this.conversation.reminder(textIn(fieldsIn(value).text) ?? '', first ? origin : {})
    })
  }

  /** A page message may contain several answers, separated by marks. */
  #answer(content: Json | undefined, origin: Origin, model: ModelRef): void {
    this.#answers += 1
    this.conversation.answer(`answer ${this.#answers}`, origin, { model })
    const values = typeof content === 'string' ? [{ type: 'text', text: content }] : listIn(content)
    let results: (() => void)[] = []
    const end = () => {
      for (const result of results) result()
      results = []
    }
    values.forEach((value, index) => {
      const part = fieldsIn(value)
      if (part.type === 'step-start') {
        if (index === 0) return
        end()
        this.#answers += 1
        this.conversation.answer(`answer ${this.#answers}`, {}, { model })
        return
      }
      const result = this.#answerPart(part, value, model)
      if (result) results.push(() => this.conversation.result(result, {}))
    })
    end()
  }

  /** Adds a part; returns its result for later. */
  #answerPart(part: Fields, value: Json, model: ModelRef): ToolResult | undefined {
    const { type } = part
    const id = textIn(part.toolCallId)
    if (type === 'text') this.conversation.part({ type, text: textIn(part.text) ?? '' })
    else if (type === 'reasoning') this.conversation.part(thinkingPart(part, model))
    else if (type === 'tool-call') {
      const name = textIn(part.toolName) ?? 'unnamed'
      this.conversation.call(id ?? name, name, part.input ?? part.args ?? {})
    } else if (type === 'tool-result') return readResult(part)
    else if (id !== undefined && typeof type === 'string') {
      const name = textIn(part.toolName) ?? type.replace(/^tool-/, '')
      this.conversation.call(id, name, part.input ?? {})
      if (part.state === 'output-available')
        return { id, content: jsonBlocks(part.output), status: 'completed' }
      if (part.state === 'output-error')
        return { id, content: jsonBlocks(part.errorText), status: 'failed' }
      if (part.state === 'output-denied') return { id, content: [], status: 'denied' }
    } else this.conversation.part({ type: 'native', provider: AI_SDK, value })
    return undefined
  }

  #results(values: readonly Json[], origin: Origin): void {
    let left = origin
    for (const value of values) {
      const part = fieldsIn(value)
      if (part.type !== 'tool-result') {
        this.notes.problem('a part of a tool message that is no result is kept raw')
        continue
      }
      this.conversation.result(readResult(part), left)
      left = {}
    }
    if (left === origin && origin.record) this.conversation.raw(origin.record)
  }
}

function isReminder(value: Json): boolean {
  return fieldsIn(fieldsIn(fieldsIn(value).providerOptions)[OWN]).reminder === true
}

function thinkingPart(part: Fields, model: ModelRef): Part {
  const options = fieldsIn(part.providerOptions ?? part.providerMetadata)
  const own = textIn(fieldsIn(options[OWN]).model)
  const provider = Object.keys(options).find((name) => name !== OWN)
  const signature = textIn(fieldsIn(options[provider ?? '']).signature)
  const author = own?.includes('/')
    ? (own as ModelRef)
    : provider === undefined
      ? model
      : modelRef(provider, undefined)
  const thinking = textIn(part.text) ?? ''
  return {
    type: 'thinking',
    thinking,
    ...(signature !== undefined && { signature }),
    model: author,
  }
}

function userPart(value: Json): Part[] {
  const part = fieldsIn(value)
  if (part.type === 'text') return [{ type: 'text', text: textIn(part.text) ?? '' }]
  if (part.type !== 'image' && part.type !== 'file')
    return [{ type: 'native', provider: AI_SDK, value }]
  const mimeType = textIn(part.mediaType) ?? textIn(part.mimeType)
  const isImage = part.type === 'image' || (mimeType?.startsWith('image/') ?? false)
  const given = textIn(part.image) ?? textIn(part.data) ?? textIn(part.url)
  const type = isImage ? 'image' : 'document'
  const known = mimeType ?? (isImage ? 'image/*' : 'application/octet-stream')
  const isUrl = given !== undefined && /^(?:data|https?|file):/.test(given)
  const media = isUrl
    ? dataUrl(given, known)
    : given === undefined
      ? undefined
      : { mimeType: known, data: given }
  const title = textIn(part.filename)
  if (!media) return [{ type: 'native', provider: AI_SDK, value }]
  return [{ type, media: { ...media, mimeType: known, ...(title !== undefined && { title }) } }]
}

function readResult(part: Fields): ToolResult {
  const id = textIn(part.toolCallId)
  const output = isFields(part.output) ? part.output : undefined
  const kind = textIn(output?.type)
  const blocks =
    kind === 'content'
      ? listIn(output?.value).map(contentBlock)
      : jsonBlocks(output ? (output.value ?? output.reason) : (part.output ?? part.result))
  const isError = kind?.startsWith('error') || part.isError === true
  const status: ToolStatus =
    keptStatus(fieldsIn(part.providerOptions)[OWN]) ??
    (kind === 'execution-denied' ? 'denied' : isError ? 'failed' : 'completed')
  return { ...(id !== undefined && { id }), content: blocks, status }
}

function contentBlock(value: Json): Block {
  const block = fieldsIn(value)
  if (block.type === 'text') return { type: 'text', text: textIn(block.text) ?? '' }
  const data = textIn(block.data)
  const mimeType = textIn(block.mediaType)
  if (data !== undefined && mimeType?.startsWith('image/')) return { type: 'image', data, mimeType }
  return { type: 'native', provider: AI_SDK, value }
}

function jsonBlocks(value: Json | undefined): Block[] {
  if (value === undefined || value === null) return []
  return [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }]
}

function textsIn(parts: Json | undefined): string {
  return listIn(parts)
    .map((part) => textIn(fieldsIn(part).text) ?? '')
    .join('\n\n')
}
