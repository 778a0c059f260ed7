// Repairs a tool result's content: no blank texts, only text in errors, no foreign blocks.
import type { Block } from '../view/content.ts'
import { blockCaption, buildCaption, nativeInWords } from '../view/image-caption.ts'
import type { MessagePart, ToolCallPart, ToolResultPart } from '../view/message.ts'
import type { RepairProfile } from './profile.ts'
import type { Changes, PlacedPart } from './turn.ts'

const NOTHING: Block = { type: 'text', text: '(no output)' }

export function mendResult(
  placed: PlacedPart,
  result: ToolResultPart,
  profile: RepairProfile,
  changes: Changes,
): PlacedPart {
  const blocks = result.content.map((block, index) =>
    mendBlock(block, `${placed.at}.content[${index}]`, result, profile, changes),
  )
  const content = withoutBlanks(blocks, `${placed.at}.content`, result, profile, changes)
  const isSame =
    content.length === result.content.length &&
    content.every((block, index) => block === result.content[index])
  return isSame ? placed : { ...placed, part: { ...result, content } }
}

function mendBlock(
  block: Block,
  at: string,
  result: ToolResultPart,
  profile: RepairProfile,
  changes: Changes,
): Block {
  const why = refusal(block, result, profile)
  if (why === undefined) return block
  changes.add(why === ERROR ? 'refused-part' : 'foreign-part', at, `${why}; it became text`)
  return { type: 'text', text: block.text ?? blockCaption(block) }
}

const ERROR = 'the result of a failed call holds text only'

function refusal(
  block: Block,
  { status }: ToolResultPart,
  { provider, natives }: RepairProfile,
): string | undefined {
  if (block.type === 'text') return undefined
  if (block.type === 'native') {
    if (provider !== undefined && block.provider !== provider)
      return `only ${block.provider ?? 'its provider'} understands it`
    const why = natives?.refusedInResult(block.value ?? null)
    if (why !== undefined) return why
    if (status !== 'completed' && !isTextBlock(block)) return ERROR
    return undefined
  }
  const isText = block.type === 'resource' && block.text !== undefined
  return status === 'completed' || isText ? undefined : ERROR
}

/** A text with provider-specific fields. */
function isTextBlock({ value }: Block): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'text'
}

function withoutBlanks(
  blocks: readonly Block[],
  at: string,
  { status }: ToolResultPart,
  { blankResults = false }: RepairProfile,
  changes: Changes,
): readonly Block[] {
  const filled = blocks.filter((block) => !isBlank(block))
  const isSilent = filled.length === 0
  const mustSpeak = !blankResults || status !== 'completed'
  if (isSilent && mustSpeak && blocks.length > 0) {
    changes.add('blank-text', at, 'a blank result; it says that there was no output')
    return [NOTHING]
  }
  if (filled.length === blocks.length || (isSilent && blocks.length === 1)) return blocks
  changes.add('blank-text', at, 'texts of blanks alone in a result; they were left out')
  return filled
}

function isBlank({ type, text }: Block): boolean {
  return (type === 'text' || (type === 'resource' && text !== undefined)) && !text?.trim()
}

/** Calls, results and parts as text, for places where they cannot be sent. */
export function callInWords({ name, arguments: input }: ToolCallPart): string {
  return `[call of ${name}: ${JSON.stringify(input)}]`
}

const STATUS_WORDS = {
  completed: '',
  failed: ', which failed',
  aborted: ', which was aborted',
  denied: ', which was denied',
} as const

/** A result as text, followed by its images. `whose` names its call. */
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

/** The text of a block; images become separate parts. */
function blockInWords(block: Block): string {
  if (isSendableImage(block)) return ''
  return block.text ?? blockCaption(block)
}

function isSendableImage({ type, data, uri }: Block): boolean {
  return type === 'image' && Boolean(data ?? uri)
}

/** A part in words. Thinking is never written out. */
export function partInWords(part: MessagePart): string {
  switch (part.type) {
    case 'text':
    case 'system_reminder':
      return part.text
    case 'checkpoint':
      return `[checkpoint ${part.id}]`
    case 'image':
      return buildCaption(part.media, undefined)
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
