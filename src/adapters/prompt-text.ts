// A request for a summary as plain roles and texts, for the caller's client.
import type { AskAnswer, AskRequest } from '../core/ports.ts'
import { partInWords } from '../core/repair/result-content.ts'
import type { MessagePart } from '../core/view/message.ts'

export interface PlainPrompt {
  readonly system: string
  readonly messages: { role: 'user' | 'assistant'; content: string }[]
}

export function plainPrompt({ system, within, messages }: AskRequest): PlainPrompt {
  return {
    system: system ?? within?.system.join('\n\n') ?? '',
    messages: messages.map(({ role, parts }) => ({ role, content: parts.map(inWords).join('\n') })),
  }
}

function inWords(part: MessagePart): string {
  return part.type === 'text' ? part.text : partInWords(part)
}

/** Normalises an answer's stop reason. */
export function readStopReason(said: unknown): AskAnswer['stopReason'] {
  if (said === 'max_tokens' || said === 'length' || said === 'max_output_tokens') return 'length'
  return said === 'refusal' || said === 'content_filter' ? 'refusal' : 'end'
}

/** Default for requests without a limit. */
export const MAX_OUTPUT_TOKENS = 8_192
