// Calls, results and parts as text, for places where they cannot be sent
import { isFields, type Json } from '../text/json.ts'
import type { Block } from '../view/content.ts'
import { captionOf } from '../view/image-caption.ts'
import type { MessagePart, ToolCallPart, ToolResultPart } from '../view/message.ts'

export function callInWords({ name, arguments: input }: ToolCallPart): string {
  return `[call of ${name}: ${JSON.stringify(input)}]`
}

const STATUS_WORDS = {
  completed: '',
  failed: ', which failed',
  aborted: ', which was aborted',
  denied: ', which was denied',
} as const

/** A result as text, followed by the images it shows. `whose` says which call it is of. */
export function resultInParts(result: ToolResultPart, whose: string): MessagePart[] {
  const texts = result.content.map(blockInWords).filter((text) => text.trim() !== '')
  const images = result.content.filter(isSendableImage)
  const body = texts.length === 0 && images.length === 0 ? ['(no output)'] : texts
  const heading = `[result of ${whose}${STATUS_WORDS[result.status]}]`
  return [
    { type: 'text', text: [heading, ...body].join('\n') },
    ...images.map((block): MessagePart => {
      const { mimeType = 'image/png', data, uri } = block
      const source = data === undefined ? { uri: uri ?? '' } : { data }
      return { type: 'image', media: { mimeType, ...source } }
    }),
  ]
}

/** The text of a block; images that can stand beside it are left to their own parts. */
function blockInWords(block: Block): string {
  if (isSendableImage(block)) return ''
  return block.text ?? blockCaption(block)
}

/** A block that cannot be shown, named. */
export function blockCaption(block: Block): string {
  if (block.type === 'image') return captionOf(block, undefined)
  if (block.type === 'native') return nativeInWords(block.provider ?? 'its provider', block.value)
  const name = block.uri ?? block.mimeType
  return name === undefined ? '[resource]' : `[resource ${name}]`
}

function isSendableImage({ type, data, uri }: Block): boolean {
  return type === 'image' && Boolean(data ?? uri)
}

/** A part in words. Thinking has none: it is never told. */
export function partInWords(part: MessagePart): string {
  switch (part.type) {
    case 'text':
    case 'system_reminder':
      return part.text
    case 'checkpoint':
      return `[checkpoint ${part.id}]`
    case 'image':
      return captionOf(part.media, undefined)
    case 'document':
      return part.media.text ?? `[document ${part.media.title ?? part.media.mimeType}]`
    case 'native':
      return nativeInWords(part.provider, part.value)
    case 'tool_call':
      return callInWords(part)
    case 'tool_result':
      return resultInParts(part, part.id).map(partInWords).join('\n')
    case 'thinking':
    case 'redacted_thinking':
      return ''
  }
}

/** What a native part says in plain words, if anything; the rest may be sealed, and is long. */
function nativeInWords(provider: string, value: Json | undefined): string {
  const fields = isFields(value) ? value : {}
  if (fields.type === 'reasoning') return ''
  const kind = typeof fields.type === 'string' ? ` ${fields.type}` : ''
  const said = [fields.text, fields.content].find((each) => typeof each === 'string')
  const heading = `[${provider}${kind}, not shown]`
  return typeof said === 'string' && said.trim() !== '' ? `${heading}\n${said}` : heading
}
