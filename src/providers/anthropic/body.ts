// A request as the body of the Anthropic Messages API.
import type { Json } from '../../core/json.ts'
import type { Message, MessagePart } from '../../core/message.ts'
import type { ModelRequest, ToolSchema } from '../../core/model.ts'
import { PROVIDER } from '../../wire/anthropic/blocks.ts'
import { type Fields, isFields } from '../../wire/anthropic/shape.ts'
import { wireMessages } from '../../wire/anthropic/write.ts'
import { wellFormed } from '../well-formed.ts'
import { withCacheMarks } from './cache-marks.ts'
import { type ThinkingStyle, thinkingFields } from './thinking.ts'

export interface Wire {
  readonly body: Fields
  /** Features to be switched on by header. */
  readonly betas: readonly string[]
  /** What was wrong with the messages, and how they are sent all the same. */
  readonly repairs: readonly string[]
}

export interface Target {
  /** Under which name this server's models are known: thinking of all others is not sent to it. */
  readonly provider: string
  readonly thinkingStyle: ThinkingStyle
}

export function wireOf(request: ModelRequest, target: Target): Wire {
  const repairs: string[] = []
  const note = (problem: string) => repairs.push(problem)
  const messages = wireMessages(ofThisServer(request.messages, target.provider, note), note)
  const native = request.native?.provider === target.provider ? request.native : undefined
  const given: Fields = {
    model: request.model,
    max_tokens: request.maxOutputTokens,
    ...systemFields(request.system),
    ...toolFields(request),
    messages,
    ...thinkingFields(request, messages, target.thinkingStyle, note),
    ...native?.fields,
  }
  const plain = wellFormed(given, note)
  return {
    body: request.cache ? withCacheMarks(plain) : plain,
    betas: [...new Set([...neededBetas(plain), ...(native?.betas ?? [])])],
    repairs,
  }
}

/**
 * Thinking and native parts belong to the server that made them, by its name. Those of this one go
 * under the name of the format; the writer leaves all others out and says so.
 */
function ofThisServer(
  messages: readonly Message[],
  provider: string,
  note: (problem: string) => void,
): readonly Message[] {
  if (provider === PROVIDER) return messages
  return messages.map(({ role, parts }) => ({
    role,
    parts: parts.flatMap((part): MessagePart[] => {
      const owner = ownerOf(part)
      if (owner === undefined) return [part]
      if (owner === provider) return [renamed(part)]
      note(`a ${part.type} part of ${owner} was left out`)
      return []
    }),
  }))
}

function ownerOf(part: MessagePart): string | undefined {
  if (part.type === 'native') return part.provider
  if (part.type !== 'thinking' && part.type !== 'redacted_thinking') return undefined
  return part.model.slice(0, part.model.indexOf('/'))
}

function renamed(part: MessagePart): MessagePart {
  if (part.type === 'native') return { ...part, provider: PROVIDER }
  if (part.type !== 'thinking' && part.type !== 'redacted_thinking') return part
  return { ...part, model: `${PROVIDER}/${part.model.slice(part.model.indexOf('/') + 1)}` }
}

function systemFields(system: readonly string[]): Fields {
  const texts = system.filter((text) => text.trim() !== '')
  if (texts.length === 0) return {}
  return { system: texts.map((text) => ({ type: 'text', text })) }
}

/** Without tools there is nothing to forbid; a history of calls then breaks VALID-A8. */
function toolFields({ tools, toolChoice }: ModelRequest): Fields {
  if (tools.length === 0) return {}
  return {
    tools: tools.map(wireTool),
    ...(toolChoice === 'none' && { tool_choice: { type: 'none' } }),
  }
}

function wireTool({ name, description, inputSchema }: ToolSchema): Json {
  return { name, description, input_schema: inputSchema }
}

const BINDING_CONTROLS = 'thinking-binding-controls-2026-08-01'
const SIGNED_COMPACTION = 'compact-2026-09-04'
const THRESHOLD_COMPACTION = 'compact-2026-01-12'

/** Features that the body uses, whoever put them there (VALID-A13, -A15). */
function neededBetas({ thinking, messages }: Fields): string[] {
  const compactions = (Array.isArray(messages) ? messages : [])
    .flatMap((message: Json) => (isFields(message) ? [message.content] : []))
    .flatMap((content) => (Array.isArray(content) ? content : []))
    .filter((block: Json): block is Fields => isFields(block) && block.type === 'compaction')
  return [
    ...(isFields(thinking) && 'block_binding' in thinking ? [BINDING_CONTROLS] : []),
    ...compactions.map(({ signature }) =>
      typeof signature === 'string' ? SIGNED_COMPACTION : THRESHOLD_COMPACTION,
    ),
  ]
}
