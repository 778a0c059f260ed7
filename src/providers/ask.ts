// A model that answers in text, for whoever summarises: no tools, and no thinking of others.
import type { Block } from '../core/content.ts'
import type { Message, MessagePart } from '../core/message.ts'
import { collectAnswer } from '../core/model.ts'
import type { ModelPort } from '../core/ports.ts'
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

function plainPart(part: MessagePart): MessagePart[] {
  switch (part.type) {
    case 'thinking':
    case 'redacted_thinking':
    case 'native':
      return [] // thinking is never put into words for another request
    case 'tool_call':
      return text(`[called ${part.name} ${JSON.stringify(part.arguments)}]`)
    case 'tool_result':
      return text(`[result, ${part.status}]\n${part.content.map(blockText).join('\n')}`)
    default:
      return [part]
  }
}

function blockText({ type, text: said, uri, mimeType }: Block): string {
  return said ?? `[${[type, uri ?? mimeType].filter(Boolean).join(' ')}]`
}

function text(value: string): MessagePart[] {
  return [{ type: 'text', text: value }]
}
