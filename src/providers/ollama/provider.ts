// Ollama's own API through its official SDK: it tells the window of a model, and takes one.
import type { ChatRequest, ChatResponse, Ollama } from 'ollama'
import type { ModelFrame, ModelRequest, Provider } from '../../core/model.ts'
import type { Clock, Signal } from '../../core/ports.ts'
import type { Json } from '../../core/text/json.ts'
import { PROFILES } from '../../validate/profiles.ts'
import type { Profile } from '../../validate/rule.ts'
import { OLLAMA, type OllamaProfile, writeOllama } from '../../wire/ollama/write.ts'
import { HOME_WINDOW_TOKENS } from '../catalogue.ts'
import { type Attempts, type RetryPolicy, retryCall, retryStream } from '../failures/retry.ts'
import type { Timeouts } from '../failures/timed-fetch.ts'
import { LimitedCache } from '../limited-cache.ts'
import { LOCAL_TIMEOUTS, requireConversation } from '../openai/access.ts'
import { cutOff, withRepairs } from '../openai/parts.ts'
import { preparing } from '../prepared.ts'
import { requireValid } from '../validated.ts'
import { OLLAMA_BASE_URL } from './address.ts'
import { asChat } from './as-chat.ts'
import { ollamaClient } from './client.ts'
import { OllamaDecoder } from './decode.ts'
import { type ModelFacts, readFacts, windowFrom } from './facts.ts'

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
}

/** A model may be recreated under its name, with another window. */
const KEEP_FACTS_MS = 5 * 60_000
const MOST_MODELS = 100

/** Its templates want turns that alternate. */
const RULES: Profile = { ...PROFILES['openai-chat'], strict: true }

export function ollamaProvider(options: OllamaOptions): Provider {
  const { id = 'ollama', baseUrl = OLLAMA_BASE_URL, clock } = options
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
  const known = new LimitedCache<ModelFacts>(MOST_MODELS, clock)
  const factsOf = async (model: string, signal: Signal | undefined): Promise<ModelFacts> => {
    const facts =
      known.get(model) ??
      readFacts(
        await retryCall(attemptsOf(model, signal), (attemptSignal) =>
          show(ollamaClient(address, attemptSignal), model),
        ),
      )
    known.set(model, facts, KEEP_FACTS_MS)
    return facts
  }
  const provider: Provider = {
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
      requireValid(RULES, asChat(written.body))
      const decoderOf = () =>
        new OllamaDecoder({ model: `${id}/${model}`, toolName: written.toolName })
      yield* retryStream(attemptsOf(model, signal), async function* (attemptSignal) {
        const client = ollamaClient(address, attemptSignal)
        const lines = await client.chat(copyOf(written.body))
        yield* withRepairs(repairs, framesOf(lines, decoderOf(), attemptSignal))
      })
    },
    windowOf: async (model, signal) => windowFrom(await factsOf(model, signal), wishedFor(model)),
  }
  return preparing(provider, () => RULES)
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
  // Without a number the server takes its own, which is small, and cuts what is longer.
  const windowTokens = windowFrom(facts, wishedTokens) ?? HOME_WINDOW_TOKENS
  const thinking = EFFORT_FAMILIES.has(family) ? 'effort' : 'switch'
  return {
    ...OLLAMA,
    provider,
    windowTokens,
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
    const isCut = thrown instanceof Error && /^Did not receive done/.test(thrown.message)
    throw isCut ? cutOff(decoder.model) : thrown
  }
  if (!signal.aborted && !decoder.isComplete) throw cutOff(decoder.model)
}
