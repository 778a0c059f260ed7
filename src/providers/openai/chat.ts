// Chat Completions through the official SDK: OpenAI, LM Studio, and every compatible server.
import type OpenAI from 'openai'
import type { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions'
import type { ModelFrame, ModelRequest, Provider } from '../../core/model.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { ModelRef, StopReason } from '../../core/view/content.ts'
import type { Profile } from '../../validate/rule.ts'
import { PROFILES } from '../../validate/validate.ts'
import { chatUsage, readUsage } from '../../wire/answer-facts.ts'
import { type ChatProfile, COMPATIBLE_CHAT, OPENAI_CHAT } from '../../wire/openai-chat/profile.ts'
import { type Written, writeChat } from '../../wire/openai-chat/write.ts'
import { preparing, requireValid } from '../checked-provider.ts'
import { retryStream } from '../failures/timed-fetch.ts'
import { type OpenAiOptions, openAiAccess, requireConversation } from './access.ts'
import { askWindow } from './ask-window.ts'
import { callFrame } from './decode-responses.ts'
import { cutOff, Stretches, ThinkTags, withRepairs } from './stretches.ts'

export interface OpenAiChatOptions extends OpenAiOptions {
  /** The server's rules, if it differs from OpenAI or from the strictest. */
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
      const client = await access.client(model)
      yield* retryStream(
        { ...access.attempts(model, signal), onRetry: request.onRetry },
        (attemptSignal) =>
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
      windowOf: async (model, signal) =>
        askWindow(await access.client(model), baseUrl, model, access.attempts(model, signal)),
    }),
  }
  return preparing(provider, (model) => buildRules(profileOf(model)))
}

function checkedBody(request: ModelRequest, profile: ChatProfile, repairs: string[]): Written {
  requireConversation(request, 'VALID-C4', 'messages')
  const written = writeChat(request, profile, (problem) => repairs.push(problem))
  requireValid(buildRules(profile), written.body)
  return written
}

function buildRules({ strict, backend }: ChatProfile): Profile {
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

interface OpenCall {
  id: string
  name: string
  text: string
}

/** Turns the chunks of a Chat Completions stream into frames. */
interface ChatSource {
  readonly model: ModelRef
  /** The tool names as the request knows them. */
  toolName(wireName: string): string
  /** Whether the text may contain thinking between tags. */
  readonly hasThinkTags: boolean
}

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  stop: 'end',
  eos: 'end',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  length: 'length',
  content_filter: 'refusal',
  // Z.ai's own
  model_context_window_exceeded: 'length',
  sensitive: 'refusal',
}

/** Takes chunks in order and returns the frames each completes; the rest follows at the end. */
class ChatDecoder {
  readonly #source: ChatSource
  readonly #stretches: Stretches
  readonly #tags = new ThinkTags()
  #calls: OpenCall[] = []
  #slots = new Map<Json, OpenCall>()
  #hasCalled = false
  #hasRefused = false
  #finishReason: string | undefined
  #usage: Json | undefined

  constructor(source: ChatSource) {
    this.#source = source
    this.#stretches = new Stretches(source.model)
  }

  *decode(chunk: Json): Generator<ModelFrame> {
    if (!isFields(chunk)) return
    if (isFields(chunk.usage)) this.#usage = chunk.usage
    const choice: Json | undefined = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined
    if (!isFields(choice)) return
    if (isFields(choice.delta)) yield* this.#extend(choice.delta)
    if (typeof choice.finish_reason === 'string') this.#finishReason = choice.finish_reason
  }

  /** Yields what waited for the end of the stream. Throws if the stream ended before the answer did. */
  *end(): Generator<ModelFrame> {
    if (this.#finishReason === undefined) throw cutOff(this.#source.model)
    for (const { kind, text } of this.#tags.end()) yield* this.#stretches.add(kind, text)
    yield* this.#stretches.close()
    yield* this.#closeCalls()
    const usage = readUsage(chatUsage(this.#usage))
    yield {
      type: 'end',
      stopReason: this.#stopReason(this.#finishReason),
      ...(usage && { usage }),
      rawStopReason: this.#finishReason,
      ...(this.#usage !== undefined && { rawUsage: this.#usage }),
    }
  }

  /** Some servers report `stop` after calls, and `tool_calls` without any. */
  #stopReason(raw: string): StopReason {
    const reason = STOP_REASONS[raw] ?? 'error'
    if (reason !== 'end' && reason !== 'tool_use') return reason
    if (this.#hasCalled) return 'tool_use'
    return this.#hasRefused ? 'refusal' : 'end'
  }

  *#extend(delta: Fields): Generator<ModelFrame> {
    const { reasoning_content: ofDeepSeek, reasoning: ofOthers, content, refusal } = delta
    const thinking = ofDeepSeek ?? ofOthers
    if (typeof thinking === 'string') yield* this.#say('thinking', thinking)
    if (typeof content === 'string') yield* this.#sayContent(content)
    else if (Array.isArray(content)) for (const part of content) yield* this.#sayPart(part)
    if (typeof refusal === 'string' && refusal !== '') {
      this.#hasRefused = true
      yield* this.#say('text', refusal)
    }
    if (!Array.isArray(delta.tool_calls)) return
    for (const call of delta.tool_calls) if (isFields(call)) yield* this.#extendCall(call)
  }

  *#sayContent(content: string): Generator<ModelFrame> {
    if (!this.#source.hasThinkTags) yield* this.#say('text', content)
    else for (const { kind, text } of this.#tags.push(content)) yield* this.#say(kind, text)
  }

  /** Mistral's thinking models send parts: `{type: 'thinking', thinking: [{type: 'text', text}]}`. */
  *#sayPart(part: Json): Generator<ModelFrame> {
    if (!isFields(part)) return
    if (typeof part.text === 'string') yield* this.#say('text', part.text)
    if (part.type !== 'thinking' || !Array.isArray(part.thinking)) return
    for (const each of part.thinking)
      if (isFields(each) && typeof each.text === 'string') yield* this.#say('thinking', each.text)
  }

  /** A call stays open while its arguments arrive; other output closes it, to keep the order. */
  *#say(kind: 'text' | 'thinking', text: string): Generator<ModelFrame> {
    if (text === '') return
    yield* this.#closeCalls()
    yield* this.#stretches.add(kind, text)
  }

  *#extendCall({ index = null, id, function: body }: Fields): Generator<ModelFrame> {
    yield* this.#stretches.close()
    const { name, arguments: text } = isFields(body) ? body : {}
    const call = this.#callAt(index, id, name)
    if (typeof id === 'string' && id !== '') call.id = id
    if (typeof name === 'string' && call.name === '') call.name = name
    if (typeof text === 'string') call.text += text
    else if (isFields(text)) call.text = JSON.stringify(text) // whole instead of as a string
  }

  /** Some servers number every call 0, or none: another id means another call. */
  #callAt(index: Json, id: Json | undefined, name: Json | undefined): OpenCall {
    const there = index === null && !id && !name ? this.#calls.at(-1) : this.#slots.get(index)
    const isOther =
      typeof id === 'string' &&
      id !== '' &&
      there !== undefined &&
      there.id !== '' &&
      there.id !== id
    const isUnnumbered = index === null && Boolean(id ?? name)
    if (there !== undefined && !isOther && !isUnnumbered) return there
    const call: OpenCall = { id: '', name: '', text: '' }
    this.#calls.push(call)
    this.#slots.set(index, call)
    this.#hasCalled = true
    return call
  }

  *#closeCalls(): Generator<ModelFrame> {
    const calls = this.#calls
    this.#calls = []
    this.#slots = new Map()
    for (const [index, { id, name, text }] of calls.entries())
      yield callFrame(id || `call_${index + 1}`, this.#source.toolName(name), text)
  }
}
