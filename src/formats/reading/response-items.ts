// Converts items of OpenAI's Responses API, which Codex uses, too, to parts, calls and results.
import type { Json } from '../../core/text/json.ts'
import type {
  Block,
  ModelRef,
  Part,
  ToolResult,
  ToolStatus,
  UserContent,
} from '../../core/view/content.ts'
import { readResponsesPart } from '../../wire/content-parts.ts'
import { readStatusLine } from '../../wire/pieces.ts'
import type { Conversation, Origin } from './conversation.ts'
import { argumentsIn, type Fields, fieldsIn, isFields, listIn, textIn } from './raw.ts'

const PROVIDER = 'openai'

export interface ItemChoices {
  readonly model: ModelRef
  /** The author of user-role text; a sub-agent's prompt was written by a model. */
  readonly writer?: 'typed' | 'model'
}

/**
 * Reads items into a conversation. Consecutive items of a model form one answer; an output or user message
 * ends it.
 */
export class ResponseItems {
  readonly #to: Conversation
  #answers = 0
  #isOpen = false

  constructor(to: Conversation) {
    this.#to = to
  }

  /** The next item starts another answer, even without a result in between. */
  endAnswer(): void {
    this.#isOpen = false
  }

  /** False for items the API does not define, which the caller keeps. */
  read(item: Fields, origin: Origin, choices: ItemChoices): boolean {
    const { type } = item
    if (type === 'message' || (type === undefined && typeof item.role === 'string'))
      return this.#message(item, origin, choices)
    if (type === 'function_call_output' || type === 'custom_tool_call_output') {
      this.#isOpen = false
      this.#to.result(readResult(item), origin)
      return true
    }
    if (typeof type !== 'string') return false
    const isCall = type === 'function_call' || type === 'custom_tool_call'
    if (!isCall && !OUTPUT_ITEMS.has(type)) return false
    this.#openAnswer(origin, choices)
    if (isCall) {
      const given = type === 'function_call' ? argumentsIn(item.arguments) : (item.input ?? '')
      const name = textIn(item.name) ?? 'unnamed'
      this.#to.call(textIn(item.call_id) ?? textIn(item.id) ?? name, name, given)
    } else this.#to.part({ type: 'native', provider: PROVIDER, value: item })
    return true
  }

  /** The model's thinking before the following items. */
  thinking(thinking: string, origin: Origin, choices: ItemChoices): void {
    this.#openAnswer(origin, choices)
    this.#to.part({ type: 'thinking', thinking, model: choices.model })
  }

  #message(item: Fields, origin: Origin, choices: ItemChoices): boolean {
    if (item.role === 'assistant') {
      this.#openAnswer(origin, choices)
      for (const part of answerParts(item)) this.#to.part(part)
      return true
    }
    this.#isOpen = false
    const content = userContent(item)
    if (item.role === 'user') {
      this.#to.user(content, origin, choices.writer ?? 'typed')
      return true
    }
    if (item.role !== 'developer' && item.role !== 'system') return false
    this.#to.reminder(textOfMessage(item), origin)
    return true
  }

  #openAnswer(origin: Origin, { model }: ItemChoices): void {
    if (!this.#isOpen) this.#answers += 1
    this.#isOpen = true
    this.#to.answer(`answer ${this.#answers}`, origin, { model })
  }
}

/** Items produced by the model, or by tools on OpenAI's servers. */
const OUTPUT_ITEMS: ReadonlySet<string> = new Set([
  'reasoning',
  'web_search_call',
  'file_search_call',
  'computer_call',
  'computer_call_output',
  'code_interpreter_call',
  'image_generation_call',
  'local_shell_call',
  'local_shell_call_output',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
  'tool_search_call',
  'tool_search_output',
  'mcp_call',
  'mcp_list_tools',
  'mcp_approval_request',
  'compaction',
])

/** The text of a message of any role. */
export function textOfMessage(item: Fields): string {
  const { content } = item
  if (typeof content === 'string') return content
  return listIn(content)
    .map((part) => textIn(fieldsIn(part).text) ?? textIn(fieldsIn(part).refusal) ?? '')
    .join('\n')
}

export function userContent(item: Fields): UserContent {
  const { content } = item
  if (typeof content === 'string') return content
  return listIn(content).map((value): Part => {
    const part = readResponsesPart(value)
    return part === undefined || part.type === 'document'
      ? { type: 'native', provider: PROVIDER, value }
      : part
  })
}

/** Newer models mark each message as comment or final answer, and want the mark back. */
function answerParts(item: Fields): Part[] {
  const phase = textIn(item.phase)
  const extra = phase === undefined ? {} : { extra: { provider: PROVIDER, fields: { phase } } }
  if (typeof item.content === 'string') return [{ type: 'text', text: item.content, ...extra }]
  return listIn(item.content).map((value): Part => {
    const text = textIn(fieldsIn(value).text) ?? textIn(fieldsIn(value).refusal)
    return text === undefined
      ? { type: 'native', provider: PROVIDER, value }
      : { type: 'text', text, ...extra }
  })
}

function readResult(item: Fields): ToolResult {
  const { call_id: id, output } = item
  const content = Array.isArray(output) ? output.map(readBlock) : textBlocks(output)
  const told = withoutStatusLine(content)
  const status = STATUSES[textIn(item.status) ?? ''] ?? told.status
  const isFailed = status === 'completed' && readExitCode(output) > 0
  return {
    ...(typeof id === 'string' && { id }),
    content: told.content,
    status: isFailed ? 'failed' : status,
  }
}

const STATUSES: { readonly [status: string]: ToolStatus } = {
  failed: 'failed',
  denied: 'denied',
  incomplete: 'aborted',
}

/** A result written for OpenAI's API states the call's end in a separate line. */
export function withoutStatusLine(content: readonly Block[]): {
  content: readonly Block[]
  status: ToolStatus
} {
  const [first, ...others] = content
  const { text, status } = readStatusLine(first?.type === 'text' ? (first.text ?? '') : '')
  if (status === 'completed') return { content, status }
  return {
    content: text === '' && others.length > 0 ? others : [{ type: 'text', text }, ...others],
    status,
  }
}

function textBlocks(output: Json | undefined): Block[] {
  if (output === undefined || output === null) return []
  const text = isFields(output)
    ? (textIn(output.content) ?? textIn(output.text) ?? JSON.stringify(output))
    : String(output)
  return [{ type: 'text', text }]
}

function readBlock(value: Json): Block {
  const part = readResponsesPart(value)
  if (part?.type === 'text') return part
  if (part?.type !== 'image' || part.media.data === undefined)
    return { type: 'native', provider: PROVIDER, value }
  return { type: 'image', data: part.media.data, mimeType: part.media.mimeType }
}

/** There is no failure flag: commands report it in their text, in one of two ways. */
function readExitCode(output: Json | undefined): number {
  const text = Array.isArray(output) ? textIn(fieldsIn(output[0]).text) : textIn(output)
  if (text === undefined) return 0
  const told = /^(?:Process exited with code|Exit code:) (-?\d+)/m.exec(text.slice(0, 500))?.[1]
  if (told !== undefined) return Math.abs(Number(told))
  const inside = /"exit_code":\s*(\d+)/.exec(text.slice(-200))?.[1]
  return text.startsWith('{"output"') && inside !== undefined ? Number(inside) : 0
}
