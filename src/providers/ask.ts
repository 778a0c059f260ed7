// A model that answers in text, for whoever summarises: no tools, and no thinking of others.
import type { Message, MessagePart } from '../core/message.ts'
import { collectAnswer } from '../core/model.ts'
import type { ModelPort } from '../core/ports.ts'
import { partInWords } from '../core/repair/as-text.ts'
import type { ModelRegistry } from './registry.ts'

/** Room for a long summary, and for the thinking that some models do first. */
const DEFAULT_OUTPUT_TOKENS = 16_384

/** Rejects with the errors of the provider. A tool that the model calls all the same is not run. */
export function modelPort(registry: Pick<ModelRegistry, 'resolve'>): ModelPort {
  return {
    async ask({ system, messages, model: name, maxOutputTokens, signal }) {
      const { ref, provider, model, info } = await registry.resolve(name)
      const limit = info.outputTokens ?? DEFAULT_OUTPUT_TOKENS
      const frames = provider.stream({
        model,
        system: system === undefined ? [] : [system],
        messages: messages.map(withoutTools),
        tools: [],
        toolChoice: 'auto',
        maxOutputTokens: maxOutputTokens ?? Math.min(DEFAULT_OUTPUT_TOKENS, limit),
        cache: false,
        ...(signal && { signal }),
      })
      const { content, stopReason, tokenUsage } = (await collectAnswer(ref, frames)).answer
      return {
        text: content,
        stopReason: stopReason ?? 'error',
        ...(tokenUsage && { usage: tokenUsage }),
      }
    },
  }
}

/** Calls and results as text: an API refuses them where no tools are defined (VALID-A8). */
function withoutTools({ role, parts }: Message): Message {
  return { role, parts: parts.flatMap(plainPart) }
}

/** Thinking is never put into words for another request, and an image is named, not shown. */
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
