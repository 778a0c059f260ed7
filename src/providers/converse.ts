// A model that may call tools, for a small talk beside a conversation: one answer at a time.
import { PrecisError } from '../core/errors.ts'
import { type CollectedAnswer, collectAnswer } from '../core/model.ts'
import type { AskedCall, ConverseAnswer, ConverseRequest } from '../core/ports.ts'
import type { Part } from '../core/view/content.ts'
import type { MessagePart } from '../core/view/message.ts'
import type { ModelRegistry } from './registry.ts'

/** Room for an edit of a long text, and for the thinking that some models do first. */
const DEFAULT_OUTPUT_TOKENS = 16_384

/** Rejects with the errors of the provider, and with `overflow` where a part was not read. */
export async function converse(
  registry: Pick<ModelRegistry, 'resolve'>,
  request: ConverseRequest,
): Promise<ConverseAnswer> {
  const { system, messages, tools, signal } = request
  const { ref, provider, model, info } = await registry.resolve(request.model, signal)
  const wanted = request.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS
  const frames = provider.stream({
    model,
    system: system === undefined ? [] : [system],
    messages,
    tools,
    toolChoice: 'auto',
    maxOutputTokens: Math.min(wanted, info.outputTokens ?? wanted),
    cache: true,
    ...(signal && { signal }),
  })
  const collected = await collectAnswer(ref, frames)
  if (collected.overflow !== undefined) throw new PrecisError('overflow', collected.overflow)
  const { stopReason = 'error', tokenUsage } = collected.answer
  const calls = callsOf(collected)
  return {
    message: { role: 'assistant', parts: partsOf(collected, calls) },
    calls,
    stopReason,
    ...(tokenUsage && { usage: { ...tokenUsage, model: ref } }),
  }
}

/** Those that cannot be read stand last, with no arguments: they are answered like the others. */
function callsOf({ calls, brokenCalls }: CollectedAnswer): AskedCall[] {
  const problem = 'The arguments of this call are not valid JSON. It was not run.'
  const broken = brokenCalls.map(({ id, name }) => ({ id, name, arguments: {}, problem }))
  const known = new Set(calls.map(({ id }) => id))
  return [...calls, ...broken.filter(({ id }) => !known.has(id))]
}

/** As it is sent back: thinking and texts where they stood, each call in its place. */
function partsOf({ answer }: CollectedAnswer, calls: readonly AskedCall[]): MessagePart[] {
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
