// A text-only model for summaries: separate, or within the conversation.
import { billedAnswer } from '../core/billed-answer.ts'
import { PrecisError } from '../core/errors.ts'
import type { CollectedAnswer, ModelRequest } from '../core/model.ts'
import type {
  AskedCall,
  AskedWithin,
  AskRequest,
  ConverseAnswer,
  ConverseRequest,
} from '../core/ports.ts'
import { partInWords } from '../core/repair/result-content.ts'
import type { Part, TokenUsage } from '../core/view/content.ts'
import type { Message, MessagePart } from '../core/view/message.ts'
import type { WholeModelPort } from './redacted-port.ts'
import type { ModelRegistry, ResolvedModel } from './registry.ts'

/** Room for a long summary, and for thinking before it. */
const DEFAULT_OUTPUT_TOKENS = 16_384

/** Rejects with the provider's errors. Tool calls of the model are never run. */
export function modelPort(registry: Pick<ModelRegistry, 'resolve'>): WholeModelPort {
  return {
    converse: (request) => converse(registry, request),
    async ask(request) {
      const { messages, model: name, within, signal, onRetry } = request
      const resolved = await registry.resolve(name, signal)
      const { ref, provider, model, info } = resolved
      // Without tools no API accepts remains of calls; see VALID-A8.
      const asTheyAre = within !== undefined && within.tools.length > 0
      const wanted = request.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS
      const { answer, overflow, usage } = await billedAnswer(ref, provider, {
        model,
        messages: asTheyAre ? messages : messages.map(withoutTools),
        ...(within ? asWithin(within, resolved) : asApart(request)),
        maxOutputTokens: Math.min(wanted, info.outputTokens ?? wanted),
        ...(signal && { signal }),
        ...(onRetry && { onRetry }),
      })
      requireFit(overflow, usage)
      const { content, parts, stopReason } = answer
      const texts = parts?.flatMap((part) => (part.type === 'text' ? [part.text] : []))
      return {
        text: texts ? texts.join('\n') : content,
        stopReason: stopReason ?? 'error',
        ...(usage && { usage }),
      }
    },
    async limitsOf(name, signal) {
      const { window, info } = await registry.resolve(name, signal)
      const { outputTokens } = info
      return {
        windowTokens: window.tokens,
        ...(outputTokens !== undefined && { outputTokens }),
      }
    },
  }
}

type AskSettings = Pick<ModelRequest, 'system' | 'tools' | 'toolChoice' | 'cache' | 'thinking'>

function asApart({ system }: AskRequest): AskSettings {
  return {
    system: system === undefined ? [] : [system],
    tools: [],
    toolChoice: 'auto',
    cache: false,
  }
}

/**
 * The same as the conversation's own requests. Anthropic caches messages per tool choice, so forbidding tools
 * would cost the whole prompt again. The request forbids calls in words, and a call is never run.
 */
function asWithin(
  { system, tools, thinking, toolChoice }: AskedWithin,
  { profile }: ResolvedModel,
): AskSettings {
  return {
    system,
    tools,
    toolChoice: toolChoice ?? (profile.wire === 'anthropic' ? 'auto' : 'none'),
    cache: true,
    ...(thinking && { thinking }),
  }
}

/** Writes calls and results as text: an API rejects them without tools (VALID-A8). */
function withoutTools({ role, parts }: Message): Message {
  return { role, parts: parts.flatMap(plainPart) }
}

/** Thinking is never written as text for another request; an image is named, not shown. */
const TOLD = new Set([
  'tool_call',
  'tool_result',
  'image',
  'native',
  'thinking',
  'redacted_thinking',
])

function plainPart(part: MessagePart): MessagePart[] {
  if (!TOLD.has(part.type)) return [part]
  const text = partInWords(part)
  return text === '' ? [] : [{ type: 'text', text }]
}

/** Rejects with the provider's errors, and with `overflow` if the server did not read everything. */
export async function converse(
  registry: Pick<ModelRegistry, 'resolve'>,
  request: ConverseRequest,
): Promise<ConverseAnswer> {
  const { system, messages, tools, signal, onRetry } = request
  const { ref, provider, model, info } = await registry.resolve(request.model, signal)
  const wanted = request.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS
  const collected = await billedAnswer(ref, provider, {
    model,
    system: system === undefined ? [] : [system],
    messages,
    tools,
    toolChoice: 'auto',
    maxOutputTokens: Math.min(wanted, info.outputTokens ?? wanted),
    cache: true,
    ...(signal && { signal }),
    ...(onRetry && { onRetry }),
  })
  const { overflow, usage } = collected
  requireFit(overflow, usage)
  const { stopReason = 'error' } = collected.answer
  const calls = findCalls(collected)
  return {
    message: { role: 'assistant', parts: readParts(collected, calls) },
    calls,
    stopReason,
    ...(usage && { usage }),
  }
}

/** An answer to a silently truncated request is useless, but is billed. */
function requireFit(overflow: string | undefined, usage: TokenUsage | undefined): void {
  if (overflow !== undefined)
    throw new PrecisError('overflow', overflow, { details: { ...(usage && { usage }) } })
}

/** Unreadable calls come last, without arguments; they are answered like the others. */
function findCalls({ calls, brokenCalls }: CollectedAnswer): AskedCall[] {
  const problem = 'The arguments of this call are not valid JSON. It was not run.'
  const broken = brokenCalls.map(({ id, name }) => ({ id, name, arguments: {}, problem }))
  const known = new Set(calls.map(({ id }) => id))
  return [...calls, ...broken.filter(({ id }) => !known.has(id))]
}

/** As sent back: thinking and texts in their places, each call in its own. */
function readParts({ answer }: CollectedAnswer, calls: readonly AskedCall[]): MessagePart[] {
  const open = new Map(calls.map((call) => [call.id, call]))
  const place = (id: string): MessagePart[] => {
    const call = open.get(id)
    if (!call) return []
    open.delete(id)
    return [{ type: 'tool_call', id, name: call.name, arguments: call.arguments }]
  }
  const said: readonly Part[] = answer.parts ?? [{ type: 'text', text: answer.content }]
  const parts = said.flatMap((part): MessagePart[] => {
    if (part.type === 'tool_call') return place(part.callId)
    return part.type === 'text' && part.text.trim() === '' ? [] : [part]
  })
  return [...parts, ...[...open.keys()].flatMap(place)]
}
