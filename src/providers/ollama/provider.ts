// Ollama's own API through its official SDK, which reports and sets the window of a model.
import type { ChatRequest, ChatResponse, Ollama } from 'ollama'
import { importPeer } from '../../core/errors.ts'
import type { ModelFrame, ModelRequest, Provider, Signal } from '../../core/model.ts'
import type { Clock } from '../../core/ports.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { Profile } from '../../validate/rule.ts'
import { PROFILES } from '../../validate/validate.ts'
import { OLLAMA, type OllamaProfile, writeOllama } from '../../wire/ollama/write.ts'
import { HOME_WINDOW_TOKENS, LimitedCache, OLLAMA_BASE_URL } from '../catalogue.ts'
import { preparing, requireValid } from '../checked-provider.ts'
import {
  type Attempts,
  type RetryPolicy,
  retryCall,
  retryStream,
  type Timeouts,
  timedFetch,
} from '../failures/timed-fetch.ts'
import { LOCAL_TIMEOUTS, requireConversation } from '../openai/access.ts'
import { cutOff, withRepairs } from '../openai/stretches.ts'
import { asChat, OllamaDecoder } from './decode.ts'

export interface OllamaOptions {
  readonly id?: string
  readonly baseUrl?: string | undefined
  /** For servers behind a gateway; a local one takes none. */
  readonly apiKey?: string | undefined
  /** The window a model is loaded with. Default: that of its Modelfile, or a cautious one. */
  readonly windowTokens?: number | ((model: string) => number | undefined)
  readonly clock: Clock
  readonly random?: () => number
  readonly retry?: Partial<RetryPolicy>
  readonly timeouts?: Partial<Timeouts>
}

/** A model may be recreated under its name with another window. */
const KEEP_FACTS_MS = 5 * 60_000
const MOST_MODELS = 100

/** Its templates require alternating turns. */
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
    const sdk = await loadSdk()
    const facts =
      known.get(model) ??
      readFacts(
        await retryCall(attemptsOf(model, signal), (attemptSignal) =>
          show(ollamaClient(sdk, address, attemptSignal), model),
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
      const profile = buildProfile(id, facts, wishedTokens)
      const repairs: string[] = []
      const written = writeOllama(request, profile, (problem) => repairs.push(problem))
      requireValid(RULES, asChat(written.body))
      const sdk = await loadSdk()
      const decoderOf = () =>
        new OllamaDecoder({ model: `${id}/${model}`, toolName: written.toolName })
      yield* retryStream(
        { ...attemptsOf(model, signal), onRetry: request.onRetry },
        async function* (attemptSignal) {
          const client = ollamaClient(sdk, address, attemptSignal)
          const lines = await client.chat(buildCopy(written.body))
          yield* withRepairs(repairs, buildFrames(lines, decoderOf(), attemptSignal))
        },
      )
    },
    windowOf: async (model, signal) => windowFrom(await factsOf(model, signal), wishedFor(model)),
  }
  return preparing(provider, () => RULES)
}

async function show(client: Ollama, model: string): Promise<Json> {
  return (await client.show({ model })) as unknown as Json
}

/** Unsupported features must not be requested, so look them up first. */
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

/** Models of this family have three thinking levels; all others think or do not. */
const EFFORT_FAMILIES = new Set(['gptoss', 'gpt-oss'])

function buildProfile(
  provider: string,
  facts: ModelFacts,
  wishedTokens: number | undefined,
): OllamaProfile {
  const { capabilities, family = '' } = facts
  const can = (what: string) => capabilities?.includes(what) ?? true
  // Without a number the server uses its own small window and truncates longer prompts.
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

/** The SDK modifies its argument. */
function buildCopy(body: Json): ChatRequest & { stream: true } {
  return structuredClone(body) as unknown as ChatRequest & { stream: true }
}

async function* buildFrames(
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

/** The Ollama SDK for one request: abortable from the first byte, and silent on the console. */
interface OllamaAddress {
  readonly baseUrl: string
  readonly apiKey?: string | undefined
  readonly timeouts: Partial<Timeouts>
}

type Sdk = Pick<typeof import('ollama'), 'Ollama'>

function loadSdk(): Promise<Sdk> {
  return importPeer('ollama', () => import('ollama'))
}

/** The SDK can only abort a stream that has begun, so each request gets a client with its own fetch. */
function ollamaClient(sdk: Sdk, address: OllamaAddress, signal: AbortSignal): Ollama {
  const { baseUrl, apiKey, timeouts } = address
  const send = timedFetch(timeouts)
  return new sdk.Ollama({
    host: baseUrl,
    ...(apiKey !== undefined && { headers: { Authorization: `Bearer ${apiKey}` } }),
    fetch: async (input, init) => {
      const signals = [signal, ...(init?.signal ? [init.signal] : [])]
      const response = await send(input, { ...init, signal: AbortSignal.any(signals) })
      if (!response.ok) throw await classifyRefusal(response)
      return response
    },
  })
}

/** Read here, because the SDK logs to the console while reading and drops the headers. */
async function classifyRefusal(response: Response): Promise<Error> {
  const { status, headers } = response
  const said = saidIn(await response.text()) || `status ${status}`
  return Object.assign(new Error(said), { status, headers })
}

function saidIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown }
    return typeof error === 'string' ? error : text
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return text
    throw thrown
  }
}

/** What an Ollama server reports about a model: window and capabilities. */
interface ModelFacts {
  /** The maximum the model supports. */
  readonly longestTokens?: number
  /** Set in its Modelfile: someone's choice for this machine. */
  readonly setTokens?: number
  /** Absent if the server is too old to report them. */
  readonly capabilities?: readonly string[]
  readonly family?: string
}

function readFacts(shown: Json): ModelFacts {
  if (!isFields(shown)) return {}
  const longest = readLongest(isFields(shown.model_info) ? shown.model_info : {})
  const set = setIn(typeof shown.parameters === 'string' ? shown.parameters : '')
  const family = isFields(shown.details) ? shown.details.family : undefined
  const { capabilities } = shown
  return {
    ...(longest !== undefined && { longestTokens: longest }),
    ...(set !== undefined && { setTokens: set }),
    ...(Array.isArray(capabilities) && { capabilities: capabilities.map(String) }),
    ...(typeof family === 'string' && { family }),
  }
}

/**
 * The window of the model: as requested, as in its Modelfile, or a default; never above its maximum. Set
 * `windowTokens` for more, memory permitting.
 */
function windowFrom(
  { longestTokens, setTokens }: ModelFacts,
  wishedTokens: number | undefined,
): number | undefined {
  if (wishedTokens === undefined && setTokens === undefined && longestTokens === undefined)
    return undefined
  const wanted = wishedTokens ?? setTokens ?? HOME_WINDOW_TOKENS
  return Math.min(wanted, longestTokens ?? wanted)
}

/** Named after the architecture: `qwen3.context_length`. */
function readLongest(info: Fields): number | undefined {
  const architecture = info['general.architecture']
  const named = info[`${String(architecture)}.context_length`]
  const any = Object.entries(info).find(([name]) => name.endsWith('.context_length'))?.[1]
  const value = named ?? any
  return typeof value === 'number' && value > 0 ? value : undefined
}

/** One parameter per line: name, blanks, value. */
function setIn(parameters: string): number | undefined {
  const value = Number(/^num_ctx\s+(\d+)\s*$/m.exec(parameters)?.[1])
  return value > 0 ? value : undefined
}
