// Every profile there is a rule for, and who writes a request for it.
import type { ModelFrame, ModelRequest } from '../../src/core/model.ts'
import type { Fields, Json } from '../../src/core/text/json.ts'
import type { ThinkingPart } from '../../src/core/view/content.ts'
import type { Message, MessagePart } from '../../src/core/view/message.ts'
import { buildWire } from '../../src/providers/anthropic/body.ts'
import { BoundThinking } from '../../src/providers/anthropic/kept-thinking.ts'
import type { ThinkingStyle } from '../../src/providers/anthropic/thinking.ts'
import { asChat } from '../../src/providers/ollama/decode.ts'
import type { Profile } from '../../src/validate/rule.ts'
import { PROFILES } from '../../src/validate/validate.ts'
import { GEMINI, writeGemini } from '../../src/wire/gemini/write.ts'
import { OLLAMA, writeOllama } from '../../src/wire/ollama/write.ts'
import {
  type ChatProfile,
  COMPATIBLE_CHAT,
  OPENAI_CHAT,
} from '../../src/wire/openai-chat/profile.ts'
import { writeChat } from '../../src/wire/openai-chat/write.ts'
import { OPENAI_RESPONSES } from '../../src/wire/openai-responses/items.ts'
import { writeResponses } from '../../src/wire/openai-responses/write.ts'
import { prepareRequest } from '../../src/wire/prepare.ts'

export type RequestView = Pick<ModelRequest, 'system' | 'messages'>

/** One conversation with a provider, from the side that sends. */
interface Conversation {
  /** The body that is checked, with the features that are switched on by header. */
  write(request: ModelRequest): Json
  /** What the last request was answered with, as it stands in the log. */
  hear(answer: Message): void
}

export interface RequestTarget {
  readonly name: string
  /** The id under which its own thinking stands in a log. */
  readonly provider: string
  readonly profile: Profile
  begin(): Conversation
}

const ignore = () => undefined
const { provider: OPENAI } = OPENAI_RESPONSES

/** On the way that every request takes: prepared for its profile, then written. */
function target(
  name: string,
  provider: string,
  profile: Profile,
  write: (request: ModelRequest) => Json,
): RequestTarget {
  const conversation = {
    write: (request: ModelRequest) => write(prepareRequest(request, profile, provider).request),
    hear: ignore,
  }
  return { name, provider, profile, begin: () => conversation }
}

/** As its adapter does it: what was thought is remembered with what stood before it. */
function anthropic(name: string, profile: Profile, thinkingStyle: ThinkingStyle): RequestTarget {
  const provider = 'anthropic'
  const begin = (): Conversation => {
    const bound = new BoundThinking()
    const mayHoldStaleThinking = (conversation: Fields) =>
      bound.look(conversation).some(({ fit }) => fit !== 'fits')
    let sent: Fields = {}
    return {
      write(request) {
        const { body, betas, conversation } = buildWire(
          prepareRequest(request, profile, provider).request,
          { provider, thinkingStyle, ...(profile.preservedThinking && { mayHoldStaleThinking }) },
        )
        sent = conversation
        return { ...body, betas }
      },
      hear({ parts }) {
        const follow = bound.follow(sent)
        for (const part of parts) for (const frame of framesOf(part)) follow(frame)
      },
    }
  }
  return { name, provider, profile, begin }
}

/** How a part of an answer came in. */
function framesOf(part: MessagePart): ModelFrame[] {
  switch (part.type) {
    case 'tool_call':
      return [{ ...part, type: 'call' }]
    case 'tool_result':
    case 'checkpoint':
    case 'system_reminder':
      return []
    default:
      return [{ type: 'part', part }]
  }
}

function chat(name: string, profile: Profile, writer: ChatProfile): RequestTarget {
  return target(
    name,
    writer.provider,
    profile,
    (request) => writeChat(request, writer, ignore).body,
  )
}

function strictChat(name: 'mistral' | 'deepseek' | 'kimi' | 'qwen'): RequestTarget {
  const profile = PROFILES[name]
  return chat(name, profile, { ...COMPATIBLE_CHAT, provider: name, backend: profile.backend })
}

/** Ollama has no rules of its own: this is what its adapter asks of a request. */
const STRICT_CHAT: Profile = { ...PROFILES['openai-chat'], strict: true }

export const TARGETS: readonly RequestTarget[] = [
  anthropic('anthropic', PROFILES.anthropic, 'adaptive'),
  anthropic('anthropic-legacy', PROFILES['anthropic-legacy'], 'budget'),
  anthropic(
    'anthropic, thinking not bound',
    { ...PROFILES.anthropic, preservedThinking: false },
    'adaptive',
  ),
  anthropic('bedrock', PROFILES.bedrock, 'adaptive'),
  chat('openai-chat', PROFILES['openai-chat'], OPENAI_CHAT),
  chat('any compatible server', STRICT_CHAT, COMPATIBLE_CHAT),
  strictChat('mistral'),
  strictChat('deepseek'),
  strictChat('kimi'),
  strictChat('qwen'),
  target('ollama', OLLAMA.provider, STRICT_CHAT, (request) =>
    asChat(writeOllama(request, OLLAMA, ignore).body),
  ),
  target(
    'openai-responses',
    OPENAI,
    PROFILES['openai-responses'],
    (request) => writeResponses(request, OPENAI_RESPONSES, ignore).body,
  ),
  // Read strictly, which holds all that the profile of this name asks.
  target(
    'gemini',
    GEMINI.provider,
    { ...PROFILES.gemini, strict: true },
    (request) => writeGemini(request, GEMINI, ignore).body,
  ),
]

/** The same conversation as if the target's own model had thought in it. */
export function asOwn(view: RequestView, { provider }: RequestTarget): RequestView {
  const messages = view.messages.map(({ role, parts }) => ({
    role,
    parts: parts.map((part): MessagePart => {
      if (part.type !== 'thinking' && part.type !== 'redacted_thinking') return part
      if (provider === OPENAI && part.type === 'thinking') return reasoning(part)
      return { ...part, model: `${provider}/test` }
    }),
  }))
  return { system: view.system, messages }
}

/** Responses gives out items where others give out thinking. */
function reasoning({ signature = '' }: ThinkingPart): MessagePart {
  const value = {
    type: 'reasoning',
    id: `rs_${signature.replace(/\W/g, '')}`,
    summary: [],
    encrypted_content: signature,
  }
  return { type: 'native', provider: OPENAI, value }
}
