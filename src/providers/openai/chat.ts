// Chat Completions through the official SDK: OpenAI, LM Studio, and every server that speaks the same.
import type OpenAI from 'openai'
import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions'
import type { ModelFrame, ModelRequest, Provider } from '../../core/model.ts'
import type { Json } from '../../core/text/json.ts'
import { PROFILES } from '../../validate/profiles.ts'
import type { Profile } from '../../validate/rule.ts'
import { type ChatProfile, COMPATIBLE_CHAT, OPENAI_CHAT } from '../../wire/openai-chat/profile.ts'
import { type Written, writeChat } from '../../wire/openai-chat/write.ts'
import { retryStream } from '../failures/retry.ts'
import { preparing } from '../prepared.ts'
import { requireValid } from '../validated.ts'
import { type OpenAiOptions, openAiAccess, requireConversation } from './access.ts'
import { ChatDecoder, type ChatSource } from './decode-chat.ts'
import { withRepairs } from './parts.ts'
import { askWindow } from './window.ts'

export interface OpenAiChatOptions extends OpenAiOptions {
  /** What the server takes, if it is not OpenAI's own or not as narrow as the narrowest. */
  readonly profileOf?: (model: string) => Partial<ChatProfile>
}

export function openaiChatProvider(options: OpenAiChatOptions): Provider {
  const access = openAiAccess(options, 'openai-chat')
  const { id, isOpenAi, baseUrl } = access
  const profileOf = (model: string): ChatProfile => ({
    ...(isOpenAi ? OPENAI_CHAT : COMPATIBLE_CHAT),
    ...options.profileOf?.(model),
    provider: id,
  })
  const provider: Provider = {
    id,
    async *stream(request) {
      const { model, signal } = request
      const profile = profileOf(model)
      const repairs: string[] = []
      const written = checkedBody(request, profile, repairs)
      const client = access.client(model)
      yield* retryStream(access.attempts(model, signal), (attemptSignal) =>
        withRepairs(
          repairs,
          openStream(client, written, attemptSignal, {
            model: `${id}/${model}`,
            toolName: written.toolName,
            hasThinkTags: profile.strict,
          }),
        ),
      )
    },
    ...(!isOpenAi && {
      windowOf: (model, signal) =>
        askWindow(access.client(model), baseUrl, model, access.attempts(model, signal)),
    }),
  }
  return preparing(provider, (model) => rulesOf(profileOf(model)))
}

function checkedBody(request: ModelRequest, profile: ChatProfile, repairs: string[]): Written {
  requireConversation(request, 'VALID-C4', 'messages')
  const written = writeChat(request, profile, (problem) => repairs.push(problem))
  requireValid(rulesOf(profile), written.body)
  return written
}

function rulesOf({ strict, backend }: ChatProfile): Profile {
  return { ...PROFILES['openai-chat'], strict, ...(backend && { backend }) }
}

async function* openStream(
  client: OpenAI,
  { body }: Written,
  signal: AbortSignal,
  source: ChatSource,
): AsyncGenerator<ModelFrame> {
  const decoder = new ChatDecoder(source)
  const parameters = body as unknown as ChatCompletionCreateParamsStreaming
  const chunks = await client.chat.completions.create(parameters, { signal })
  for await (const chunk of chunks) yield* decoder.decode(chunk as unknown as Json)
  if (!signal.aborted) yield* decoder.end()
}
