// Messages of a thread in the shape of a provider's API
import { PrecisError } from '../core/errors.ts'
import type { Json } from '../core/text/json.ts'
import type { Built } from '../core/view/build.ts'
import { wireMessages } from '../wire/anthropic/write.ts'
import { chatMessages, OPENAI_CHAT } from '../wire/openai-chat/messages.ts'
import { WireNames } from '../wire/openai-chat/rounds.ts'
import { inputItems, OPENAI_RESPONSES } from '../wire/openai-responses/write.ts'

export type WireFormat = 'anthropic' | 'openai-chat' | 'openai-responses'

export interface WireMessages {
  /** The system prompts as one text: `system` of Anthropic, `instructions` of Responses; '' if there are none. */
  readonly system: string
  /** Ready to be sent. For Chat Completions the system prompt is the first of them. */
  readonly messages: Json[]
  /** What the API cannot say, and what was done about it. */
  readonly problems: readonly string[]
}

export function writeFor(format: WireFormat, { system: prompts, messages }: Built): WireMessages {
  const found = new Set<string>()
  const note = (problem: string) => void found.add(problem)
  const system = prompts.join('\n\n')
  const written = write()
  return { system, messages: written, problems: [...found] }

  function write(): Json[] {
    switch (format) {
      case 'anthropic':
        return wireMessages(messages, note)
      case 'openai-chat': {
        const head = system === '' ? [] : [{ role: 'system', content: system }]
        return [...head, ...chatMessages(messages, OPENAI_CHAT, new WireNames(note), note)]
      }
      case 'openai-responses':
        return [...inputItems(messages, OPENAI_RESPONSES, new WireNames(note), note)]
      default:
        throw new PrecisError('unknown-format', `Unknown format of messages: ${format}.`, {
          where: 'format',
          hint: 'Formats: anthropic, openai-chat, openai-responses.',
        })
    }
  }
}
