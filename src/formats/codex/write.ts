// Writes a context as a Codex rollout: history items, and a `compacted` line where it replaces another.
import type { ThreadEvent } from '../../core/log/event.ts'
import type { Json } from '../../core/text/json.ts'
import { checkpointToText } from '../../core/view/checkpoint.ts'
import type { Block, ThinkingPart } from '../../core/view/content.ts'
import type { Message, MessagePart, ToolCallPart, ToolResultPart } from '../../core/view/message.ts'
import {
  blockWords,
  type Note,
  opened,
  placeholder,
  resultsAfter,
  UNSIGNED,
  writeLines,
} from '../outgoing.ts'
import { OPENING } from '../reading/conversation.ts'
import {
  type Fields,
  fieldsIn,
  isFields,
  type RawRecord,
  recordValue,
  textIn,
  urlOfMedia,
} from '../reading/raw.ts'
import { chooseWorkplace } from '../reading/workplace.ts'
import type { Exported, Outgoing, SessionFormat, WriteOptions } from '../session-format.ts'
import { hostedItems } from './hosted.ts'
import { CODEX, isCodex, ORIGINATOR, readCodex, SEALED, THINKER } from './read.ts'

function writeCodex(outgoing: Outgoing, options: WriteOptions): Exported {
  const timestamp = options.now.toISOString()
  const line = (type: string, payload: Json): Fields => ({ timestamp, type, payload })
  return writeLines(CODEX, outgoing, {
    fresh: ({ view }, note) => {
      const text = view.system.join('\n\n')
      const cwd = chooseWorkplace(outgoing, options)
      const meta = {
        id: options.newId(),
        timestamp,
        cwd,
        originator: ORIGINATOR,
        cli_version: '0.0.0',
        source: 'cli',
        ...(text !== '' && { base_instructions: { text } }),
      }
      // Without provider and model Codex uses its settings: it knows no others.
      return [line('session_meta', meta), ...historyLines(view.messages.map(unwrapped), line, note)]
    },
    changed: (changed, old, note) => {
      const { summary, rest } = opened(changed, note)
      const sealed = sealedItems(changed, rest)
      const replacement = messageItem('user', [{ type: 'input_text', text: summary }])
      const lines = [
        line('compacted', {
          message: summary === OPENING ? '' : summary,
          replacement_history: [replacement, ...sealed],
        }),
        ...historyLines(sealed.length > 0 ? rest.map(withoutSealed) : rest, line, note),
      ]
      return numbered(lines, old)
    },
  })
}

/** Summaries only OpenAI can read, as Codex recorded them, if the context still has them. */
function sealedItems({ events = [] }: Outgoing, messages: readonly Message[]): Json[] {
  if (!messages.some(({ parts }) => parts.some(isSealed))) return []
  const last = events.findLast(
    (event) => event.type === 'COMPACTION' && nativesIn(event).length > 0,
  )
  return last ? nativesIn(last) : []
}

function nativesIn(event: ThreadEvent): Json[] {
  const puts = event.type === 'COMPACTION' ? event.data.edits.flatMap(({ put }) => put) : []
  return puts.flatMap((put) => ('native' in put && put.native ? [put.native.value] : []))
}

function isSealed(part: MessagePart): boolean {
  return part.type === 'text' && part.text === SEALED
}

function withoutSealed({ role, parts }: Message): Message {
  return { role, parts: parts.filter((part) => !isSealed(part)) }
}

/** Other agents have no calls with a text argument: there it is wrapped in an object. */
function unwrapped({ role, parts }: Message): Message {
  return {
    role,
    parts: parts.map((part) => {
      if (part.type !== 'tool_call' || !isFields(part.arguments)) return part
      const { input, ...others } = part.arguments
      const isWrapped = typeof input === 'string' && Object.keys(others).length === 0
      return isWrapped ? { ...part, arguments: input } : part
    }),
  }
}

/** Since 0.160 Codex numbers records, and rejects a file that ends without a number. */
function numbered(lines: readonly Fields[], old: readonly RawRecord[]): readonly Fields[] {
  const last = old.findLast((record) => typeof recordValue(record).ordinal === 'number')
  if (last === undefined) return lines
  const { ordinal } = recordValue(last)
  const first = typeof ordinal === 'number' ? ordinal + 1 : 0
  return lines.map((line, index) => ({ ...line, ordinal: first + index }))
}

/** Two adjacent answers would be merged: an empty token count separates them. */
function historyLines(
  messages: readonly Message[],
  line: (type: string, payload: Json) => Fields,
  note: Note,
): Fields[] {
  const outputs: Outputs = new Map()
  return messages.flatMap((message, index) => {
    const results = message.role === 'assistant' ? resultsAfter(messages, index) : undefined
    const lines =
      message.role === 'user'
        ? userItems(message, outputs, note).map((item) => line('response_item', item))
        : message.parts.flatMap((part) =>
            part.type === 'thinking'
              ? [line('event_msg', thoughtEvent(part, note))]
              : part.type === 'tool_call'
                ? [line('response_item', callItem(part, results?.get(part.id), outputs))]
                : answerItems(part, note).map((item) => line('response_item', item)),
          )
    const isRepeat = message.role === 'assistant' && messages[index - 1]?.role === 'assistant'
    return isRepeat ? [line('event_msg', { type: 'token_count', info: null }), ...lines] : lines
  })
}

/** Codex displays but never sends it: the provider accepts only its own encrypted blocks. */
function thoughtEvent({ thinking, signature, model }: ThinkingPart, note: Note): Json {
  if (signature !== undefined) note(UNSIGNED)
  return { type: 'agent_reasoning', text: thinking, [THINKER]: model }
}

/** The output type of each call; a missing one is a function's. */
type Outputs = Map<string, readonly Fields[] | 'custom_tool_call_output'>

function callItem(part: ToolCallPart, result: ToolResultPart | undefined, outputs: Outputs): Json {
  const { id: call_id, name } = part
  const hosted = hostedItems(part, result)
  outputs.delete(call_id) // a later round may reuse an id
  if (hosted?.output) outputs.set(call_id, hosted.output)
  if (hosted) return hosted.call
  if (typeof part.arguments !== 'string')
    return { type: 'function_call', name, arguments: JSON.stringify(part.arguments), call_id }
  outputs.set(call_id, 'custom_tool_call_output')
  return { type: 'custom_tool_call', name, input: part.arguments, call_id, status: 'completed' }
}

function answerItems(part: MessagePart, note: Note): Json[] {
  switch (part.type) {
    case 'text': {
      const fields = part.extra?.provider === 'openai' ? fieldsIn(part.extra.fields) : {}
      const phase = textIn(fields.phase)
      const item = messageItem('assistant', [{ type: 'output_text', text: part.text }])
      return [{ ...item, ...(phase !== undefined && { phase }) }]
    }
    case 'native':
      if (part.provider === 'openai' && isFields(part.value)) return [part.value]
      note(`a part that only ${part.provider} understands was left out`)
      return []
    case 'redacted_thinking':
      note('sealed thinking was left out')
      return []
    default:
      return [messageItem('assistant', [{ type: 'output_text', text: placeholder(part, note) }])]
  }
}

/** Outputs first, then the user's text in one message; reminders get the developer role. */
function userItems({ parts }: Message, outputs: Outputs, note: Note): Json[] {
  const items: Json[] = []
  const content: Json[] = []
  const after: Json[] = []
  for (const part of parts) {
    if (part.type === 'tool_result') items.push(...outputItems(part, outputs, note))
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

const STATUSES: { readonly [status in ToolResultPart['status']]?: string } = {
  failed: 'failed',
  denied: 'denied',
  aborted: 'incomplete',
}

function outputItems(part: ToolResultPart, outputs: Outputs, note: Note): readonly Json[] {
  const given = outputs.get(part.id) ?? 'function_call_output'
  if (typeof given !== 'string') return given
  if (part.status !== 'completed') note('a failed tool call shows only in the text of its result')
  // Codex ignores it; later conversions use it.
  const status = STATUSES[part.status]
  const [only] = part.content
  const output =
    part.content.length === 1 && only?.type === 'text'
      ? (only.text ?? '')
      : part.content.map((block) => outputPart(block, note))
  return [{ type: given, call_id: part.id, output, ...(status !== undefined && { status }) }]
}

function outputPart(block: Block, note: Note): Json {
  if (block.type === 'text') return { type: 'input_text', text: block.text ?? '' }
  if (block.type === 'image' && block.data !== undefined) {
    const url = `data:${block.mimeType ?? 'image/*'};base64,${block.data}`
    return { type: 'input_image', image_url: url }
  }
  if (block.type === 'native' && block.provider === 'openai' && block.value !== undefined)
    return block.value
  return { type: 'input_text', text: blockWords(block, note) }
}

function messageItem(role: string, content: readonly Json[]): Fields {
  return { type: 'message', role, content }
}

export const codex: SessionFormat = {
  id: CODEX,
  title: 'Codex',
  losses: [
    'sealed-thinking',
    'signatures',
    'natives',
    'extras',
    'documents',
    'failures',
    'checkpoints',
  ],
  detect: isCodex,
  read: readCodex,
  write: writeCodex,
}
