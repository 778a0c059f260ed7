// A context as a Codex rollout: items of the history, and a `compacted` line where it replaces another.
import { checkpointToText } from '../../core/checkpoint.ts'
import type { Block } from '../../core/content.ts'
import type { Json } from '../../core/json.ts'
import type { Message, MessagePart, ToolResultPart } from '../../core/message.ts'
import { urlOfMedia } from '../data-url.ts'
import { type Fields, fieldsIn, isFields, textIn } from '../fields.ts'
import type { Exported } from '../format.ts'
import { lastModel, type Note, opened, placeholder, writeLines } from '../outgoing.ts'
import type { Outgoing, WriteOptions } from '../session-format.ts'
import { CODEX } from './read.ts'

export function writeCodex(outgoing: Outgoing, options: WriteOptions): Exported {
  const timestamp = options.now.toISOString()
  const line = (type: string, payload: Json): Json => ({ timestamp, type, payload })
  return writeLines(CODEX, outgoing, {
    fresh: ({ view }, note) => {
      const { provider, model } = lastModel(outgoing)
      const text = view.system.join('\n\n')
      const meta = {
        id: options.newId(),
        timestamp,
        cwd: '',
        originator: 'precis',
        cli_version: '0.0.0',
        source: 'cli',
        model_provider: provider,
        ...(text !== '' && { base_instructions: { text } }),
      }
      return [
        line('session_meta', meta),
        line('turn_context', { cwd: '', model }),
        ...historyLines(view.messages, line, note),
      ]
    },
    changed: ({ view }, _old, note) => {
      const { summary, rest } = opened(view, note)
      const replacement = messageItem('user', [{ type: 'input_text', text: summary }])
      return [
        line('compacted', { message: '', replacement_history: [replacement] }),
        ...historyLines(rest, line, note),
      ]
    },
  })
}

/** Two answers in a row would be read as one: a count of tokens, which nobody knows, parts them. */
function historyLines(
  messages: readonly Message[],
  line: (type: string, payload: Json) => Json,
  note: Note,
): Json[] {
  const custom = new Set<string>() // calls whose arguments are a text
  return messages.flatMap((message, index) => {
    const items =
      message.role === 'user'
        ? userItems(message, custom, note)
        : answerItems(message, custom, note)
    const lines = items.map((item) => line('response_item', item))
    const isRepeat = message.role === 'assistant' && messages[index - 1]?.role === 'assistant'
    return isRepeat ? [line('event_msg', { type: 'token_count', info: null }), ...lines] : lines
  })
}

function answerItems({ parts }: Message, custom: Set<string>, note: Note): Json[] {
  return parts.flatMap((part): Json[] => {
    switch (part.type) {
      case 'text': {
        const fields = part.extra?.provider === 'openai' ? fieldsIn(part.extra.fields) : {}
        const phase = textIn(fields.phase)
        const item = messageItem('assistant', [{ type: 'output_text', text: part.text }])
        return [{ ...item, ...(phase !== undefined && { phase }) }]
      }
      case 'tool_call': {
        const { id: call_id, name } = part
        if (typeof part.arguments !== 'string')
          return [
            { type: 'function_call', name, arguments: JSON.stringify(part.arguments), call_id },
          ]
        custom.add(call_id)
        return [
          { type: 'custom_tool_call', name, input: part.arguments, call_id, status: 'completed' },
        ]
      }
      case 'native':
        if (part.provider === 'openai' && isFields(part.value)) return [part.value]
        note(`a part that only ${part.provider} understands was left out`)
        return []
      case 'thinking':
      case 'redacted_thinking':
        note('thinking was left out: the provider wants its own sealed block back')
        return []
      default:
        return [messageItem('assistant', [{ type: 'output_text', text: placeholder(part, note) }])]
    }
  })
}

/** Outputs first, then what the user says in one message; reminders are for the developer's role. */
function userItems({ parts }: Message, custom: ReadonlySet<string>, note: Note): Json[] {
  const items: Json[] = []
  const content: Json[] = []
  const after: Json[] = []
  for (const part of parts) {
    if (part.type === 'tool_result') items.push(outputItem(part, custom, note))
    else if (part.type === 'system_reminder')
      after.push(messageItem('developer', [{ type: 'input_text', text: part.text }]))
    else content.push(...inputParts(part, note))
  }
  return [...items, ...(content.length > 0 ? [messageItem('user', content)] : []), ...after]
}

function inputParts(part: MessagePart, note: Note): Json[] {
  if (part.type === 'text') return [{ type: 'input_text', text: part.text }]
  if (part.type === 'checkpoint') {
    note('a checkpoint was written as text')
    return [{ type: 'input_text', text: checkpointToText(part.id) }]
  }
  if (part.type === 'native' && part.provider === 'openai') return [part.value]
  if (part.type === 'native') {
    note(`a part that only ${part.provider} understands was left out`)
    return []
  }
  const url = part.type === 'image' ? urlOfMedia(part.media) : undefined
  if (url !== undefined) return [{ type: 'input_image', image_url: url, detail: 'auto' }]
  return [{ type: 'input_text', text: placeholder(part, note) }]
}

function outputItem(part: ToolResultPart, custom: ReadonlySet<string>, note: Note): Json {
  if (part.status !== 'completed') note('that a tool failed is told by its text alone')
  const type = custom.has(part.id) ? 'custom_tool_call_output' : 'function_call_output'
  const [only] = part.content
  const output =
    part.content.length === 1 && only?.type === 'text'
      ? (only.text ?? '')
      : part.content.map((block) => outputPart(block, note))
  return { type, call_id: part.id, output }
}

function outputPart(block: Block, note: Note): Json {
  if (block.type === 'text') return { type: 'input_text', text: block.text ?? '' }
  if (block.type === 'image' && block.data !== undefined) {
    const url = `data:${block.mimeType ?? 'image/*'};base64,${block.data}`
    return { type: 'input_image', image_url: url }
  }
  if (block.type === 'native' && block.provider === 'openai' && block.value !== undefined)
    return block.value
  note(`a ${block.type} in a result was written as a note`)
  return { type: 'input_text', text: `[${block.type}: ${block.uri ?? block.mimeType ?? ''}]` }
}

function messageItem(role: string, content: readonly Json[]): Fields {
  return { type: 'message', role, content }
}
