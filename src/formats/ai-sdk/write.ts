// A context as ModelMessages of the AI SDK, ready for `generateText({ messages })`.
import type { Json } from '../../core/text/json.ts'
import { checkpointToText } from '../../core/view/checkpoint.ts'
import type { Message, MessagePart, ToolResultPart } from '../../core/view/message.ts'
import {
  blockWords,
  lossesIn,
  type Note,
  placeholder,
  splitModel,
  wellFormed,
  withReadableThinking,
} from '../outgoing.ts'
import { ROOT } from '../reading/json-items.ts'
import { type Fields, fieldsIn, rawEnvelope, STATUS, urlOfMedia } from '../reading/raw.ts'
import { readItems } from '../reading/record-reader.ts'
import type { Exported, Loss, Outgoing, SessionFormat } from '../session-format.ts'
import { AI_SDK, isAiSdk, MessageReader, OWN } from './read.ts'

const AI_SDK_LOSSES: readonly Loss[] = [
  'sealed-thinking',
  'natives',
  'extras',
  'documents',
  'checkpoints',
  'workplace',
]

function writeAiSdk(outgoing: Outgoing): Exported {
  const { view, events = [] } = withReadableThinking(outgoing)
  const problems = new Set(lossesIn(outgoing, AI_SDK_LOSSES))
  const note: Note = (problem) => problems.add(problem)
  const names = new Map<string, string>() // tool names by call: results repeat them
  const messages: Json[] = [
    ...view.system.map((content) => ({ role: 'system', content })),
    ...view.messages.flatMap((message) =>
      message.role === 'user' ? userMessages(message, names, note) : answer(message, names, note),
    ),
  ]
  const envelope = rawEnvelope(AI_SDK, events)
  const isDocument = envelope !== undefined && !Array.isArray(envelope)
  const document = isDocument ? { ...fieldsIn(envelope), messages } : messages
  return { text: `${JSON.stringify(document, wellFormed, 2)}\n`, problems: [...problems] }
}

/** Results are tool messages, before the user's text. */
function userMessages({ parts }: Message, names: ReadonlyMap<string, string>, note: Note): Json[] {
  const results = parts.flatMap((part) => (part.type === 'tool_result' ? [part] : []))
  const said = parts.flatMap((part) => (part.type === 'tool_result' ? [] : userPart(part, note)))
  return [
    ...(results.length === 0
      ? []
      : [{ role: 'tool', content: results.map((result) => resultPart(result, names, note)) }]),
    ...(said.length === 0 ? [] : [{ role: 'user', content: said }]),
  ]
}

function userPart(part: MessagePart, note: Note): Json[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text }]
    case 'system_reminder':
      return [{ type: 'text', text: part.text, providerOptions: { [OWN]: { reminder: true } } }]
    case 'checkpoint':
      note('a checkpoint was written as text')
      return [{ type: 'text', text: checkpointToText(part.id) }]
    case 'native':
      if (part.provider === AI_SDK) return [part.value]
      note(`a part that only ${part.provider} understands was left out`)
      return []
    case 'image':
    case 'document': {
      const { data, mimeType: mediaType, title } = part.media
      const given = data ?? urlOfMedia(part.media)
      if (given === undefined) return [{ type: 'text', text: placeholder(part, note) }]
      const named = title === undefined ? {} : { filename: title }
      return [{ type: 'file', data: given, mediaType, ...named }]
    }
    default:
      return [{ type: 'text', text: placeholder(part, note) }]
  }
}

function answer({ parts }: Message, names: Map<string, string>, note: Note): Json[] {
  const content = parts.flatMap((part): Json[] => {
    switch (part.type) {
      case 'text':
        return [{ type: 'text', text: part.text }]
      case 'thinking':
        return [{ type: 'reasoning', text: part.thinking, providerOptions: readOptions(part) }]
      case 'tool_call':
        names.set(part.id, part.name)
        return [
          { type: 'tool-call', toolCallId: part.id, toolName: part.name, input: part.arguments },
        ]
      case 'native':
        if (part.provider === AI_SDK) return [part.value]
        note(`a part that only ${part.provider} understands was left out`)
        return []
      case 'redacted_thinking':
        note('sealed thinking was left out')
        return []
      default:
        return [{ type: 'text', text: placeholder(part, note) }]
    }
  })
  return content.length === 0 ? [] : [{ role: 'assistant', content }]
}

/** The signature where the provider's adapter looks for it, and the model for readers of this format. */
function readOptions({ signature, model }: { signature?: string; model: string }): Fields {
  const own = { [OWN]: { model } }
  return signature === undefined ? own : { [splitModel(model).provider]: { signature }, ...own }
}

function resultPart(
  { id, content, status }: ToolResultPart,
  names: ReadonlyMap<string, string>,
  note: Note,
): Json {
  const toolName = names.get(id) ?? 'unknown'
  const kind = status === 'aborted' ? { providerOptions: { [OWN]: { [STATUS]: status } } } : {}
  return { type: 'tool-result', toolCallId: id, toolName, output: outputOf(), ...kind }

  function outputOf(): Json {
    const texts = content.flatMap((block) => (block.type === 'text' ? [block.text ?? ''] : []))
    const text = texts.join('\n')
    if (status === 'denied') return { type: 'execution-denied', reason: text }
    if (status !== 'completed') {
      if (texts.length < content.length) note('only the text of a failed result was written')
      return { type: 'error-text', value: text }
    }
    if (content.length === 1 && texts.length === 1) return { type: 'text', value: text }
    return { type: 'content', value: content.map((block) => contentPart(block, note)) }
  }
}

function contentPart(block: ToolResultPart['content'][number], note: Note): Json {
  if (block.type === 'text') return { type: 'text', text: block.text ?? '' }
  if (block.type === 'image' && block.data !== undefined)
    return { type: 'media', data: block.data, mediaType: block.mimeType ?? 'image/png' }
  if (block.type === 'native' && block.provider === AI_SDK && block.value !== undefined)
    return block.value
  return { type: 'text', text: blockWords(block, note) }
}

export const aiSdk: SessionFormat = {
  id: AI_SDK,
  title: 'AI SDK messages',
  losses: AI_SDK_LOSSES,
  detect: isAiSdk,
  read: (source, notes) =>
    readItems(source, ['messages', ROOT], notes, new MessageReader(AI_SDK, notes)),
  write: writeAiSdk,
}
