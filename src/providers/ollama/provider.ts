// Ollama's own API through its official SDK: it tells the window of a model, and takes one.
import type { ChatRequest, ChatResponse, Ollama } from 'ollama'
import type { Json } from '../../core/json.ts'
import type { ModelFrame, ModelRequest, Provider } from '../../core/model.ts'
import type { Clock, Signal } from '../../core/ports.ts'
import { PROFILES } from '../../validate/profiles.ts'
import { OLLAMA, type OllamaProfile, writeOllama } from '../../wire/ollama/write.ts'
import { LOCAL_TIMEOUTS, requireConversation } from '../openai/access.ts'
import { cutOff, withRepairs } from '../openai/parts.ts'
import { type Attempts, type RetryPolicy, retryCall, retryStream } from '../retry.ts'
import type { Timeouts } from '../timed-fetch.ts'
import { requireValid } from '../validated.ts'
import { asChat } from './as-chat.ts'
import { codeOf, ollamaClient } from './client.ts'
import { OllamaDecoder } from './decode.ts'
import { type ModelFacts, readFacts, windowFrom } from './facts.ts'
import { type Truncation, truncationOf } from './truncation.ts'

export interface OllamaOptions {
  readonly id?: string
  readonly baseUrl?: string | undefined
  /** For servers behind a gate; a local one takes none. */
  readonly apiKey?: string | undefined
  /** The window a model is loaded with. Absent: what its Modelfile says, or a careful default. */
  readonly windowTokens?: number | ((model: string) => number | undefined)
  readonly clock: Clock
  readonly random?: () => number
  readonly retry?: Partial<RetryPolicy>
  readonly timeouts?: Partial<Timeouts>
  /** Is told of answers to a prompt that the server cut. `rawUsage` of the answer says it, too. */
  readonly onTruncation?: (truncation: Truncation) => void
}

export const OLLAMA_BASE_URL = 'http://127.0.0.1:11434'

export function ollamaProvider(options: OllamaOptions): Provider {
  const { id = 'ollama', baseUrl = OLLAMA_BASE_URL, clock, onTruncation } = options
  const apiKey = options.apiKey?.trim() || undefined
  const address = { baseUrl, apiKey, timeouts: { ...LOCAL_TIMEOUTS, ...options.timeouts } }
  const attemptsOf = (model: string, signal: Signal | undefined): Attempts => ({
    context: { provider: id, baseUrl, model, secrets: [apiKey] },
    clock,
    signal,
    policy: options.retry,
    random: options.random,
  })
  const { windowTokens: wish } = options
  const wishedFor = (model: string) => (typeof wish === 'function' ? wish(model) : wish)
  const known = new Map<string, ModelFacts>()
  const factsOf = async (model: string, signal: Signal | undefined): Promise<ModelFacts> => {
    const facts =
      known.get(model) ??
      readFacts(
        await retryCall(attemptsOf(model, signal), (attemptSignal) =>
          show(ollamaClient(address, attemptSignal), model),
        ),
      )
    known.set(model, facts)
    return facts
  }
  return {
    id,
    async *stream(request) {
      const { model, signal } = request
      requireConversation(request, 'VALID-C4', 'messages')
      const wishedTokens = wishedFor(model)
      const needsFacts = wishedTokens === undefined || isDemanding(request)
      const facts = needsFacts ? await factsOf(model, signal) : {}
      const profile = profileOf(id, facts, wishedTokens)
      const repairs: string[] = []
      const written = writeOllama(request, profile, (problem) => repairs.push(problem))
      requireValid({ ...PROFILES['openai-chat'], strict: true }, asChat(written.body))
      const decoderOf = () =>
        new OllamaDecoder({ model: `${id}/${model}`, toolName: written.toolName })
      yield* retryStream(attemptsOf(model, signal), async function* (attemptSignal) {
        const client = ollamaClient(address, attemptSignal)
        const lines = await client.chat(copyOf(written.body))
        for await (const frame of withRepairs(
          repairs,
          framesOf(lines, decoderOf(), attemptSignal),
        )) {
          const cut =
            frame.type === 'end'
              ? truncationOf(model, written.body, frame, profile.windowTokens)
              : undefined
          if (cut) onTruncation?.(cut)
          yield cut ? marked(frame, cut) : frame
        }
      })
    },
    windowOf: async (model, signal) => windowFrom(await factsOf(model, signal), wishedFor(model)),
  }
}

async function show(client: Ollama, model: string): Promise<Json> {
  return (await client.show({ model })) as unknown as Json
}

/** What a model cannot do must not be asked of it, so it has to be known first. */
function isDemanding({ thinking, messages }: ModelRequest): boolean {
  return (
    thinking !== undefined ||
    messages.some(({ parts }) =>
      parts.some(
        (part) =>
          part.type === 'image' ||
          (part.type === 'tool_result' && part.content.some(({ type }) => type !== 'text')),
      ),
    )
  )
}

/** Models of this family think at three strengths; all others think or do not. */
const EFFORT_FAMILIES = new Set(['gptoss', 'gpt-oss'])

function profileOf(
  provider: string,
  facts: ModelFacts,
  wishedTokens: number | undefined,
): OllamaProfile {
  const { capabilities, family = '' } = facts
  const can = (what: string) => capabilities?.includes(what) ?? true
  const windowTokens = windowFrom(facts, wishedTokens)
  const thinking = EFFORT_FAMILIES.has(family) ? 'effort' : 'switch'
  return {
    ...OLLAMA,
    provider,
    ...(windowTokens !== undefined && { windowTokens }),
    accepts: { images: can('vision') ? 'inline' : 'none', files: false },
    thinking: can('thinking') ? thinking : 'none',
  }
}

/** The SDK writes into what it is given. */
function copyOf(body: Json): ChatRequest & { stream: true } {
  return structuredClone(body) as unknown as ChatRequest & { stream: true }
}

async function* framesOf(
  lines: AsyncIterable<ChatResponse>,
  decoder: OllamaDecoder,
  signal: AbortSignal,
): AsyncGenerator<ModelFrame> {
  try {
    for await (const line of lines) yield* decoder.decode(line as unknown as Json)
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown
    if (/^Did not receive done/.test(thrown.message)) throw cutOff(decoder.model)
    throw Object.assign(thrown, codeOf(thrown.message))
  }
  if (!signal.aborted && !decoder.isComplete) throw cutOff(decoder.model)
}

function marked(frame: ModelFrame, { reason, estimatedTokens }: Truncation): ModelFrame {
  if (frame.type !== 'end') return frame
  const { rawUsage } = frame
  const reported = typeof rawUsage === 'object' && rawUsage !== null ? rawUsage : {}
  return {
    ...frame,
    rawUsage: { ...reported, truncated: reason, estimated_prompt_tokens: estimatedTokens },
  }
}
