// Shared by both OpenAI APIs: client, key, failures and retries
// Asks servers for the window of a model, in each server's own way
import type OpenAI from 'openai'
import { importPeer, PrecisError } from '../../core/errors.ts'
import type { ModelRequest } from '../../core/model.ts'
import type { Clock, Signal } from '../../core/ports.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import { OPENAI_BASE_URL, OPENAI_KEY_VARIABLE } from '../catalogue.ts'
import type { FailureContext } from '../failures/failure-kinds.ts'
import { missingKey } from '../failures/failures.ts'
import {
  type Attempts,
  type RetryPolicy,
  retryCall,
  type Timeouts,
  timedFetch,
} from '../failures/timed-fetch.ts'

export interface OpenAiOptions {
  /** Under which name the server's models, their thinking and their own items are known. */
  readonly id?: string
  readonly apiKey?: string | undefined
  readonly baseUrl?: string | undefined
  /** Where absent, only OpenAI's own address needs one. */
  readonly needsKey?: boolean
  readonly keyVariable?: string
  readonly clock: Clock
  readonly random?: () => number
  readonly retry?: Partial<RetryPolicy>
  readonly timeouts?: Partial<Timeouts>
}

/** A machine at home reads a long prompt for minutes before its first word. */
export const LOCAL_TIMEOUTS: Timeouts = { connectMs: 300_000, idleMs: 300_000 }

interface Access {
  readonly id: string
  readonly baseUrl: string
  readonly isOpenAi: boolean
  /** Rejects if a key is needed and missing. The SDK is loaded by the first call. */
  client(model: string): Promise<OpenAI>
  attempts(model: string, signal: Signal | undefined): Attempts
}

/** A key is only looked for when something is asked: until then the provider can be named and listed. */
export function openAiAccess(options: OpenAiOptions, defaultId: string): Access {
  const { id = defaultId, baseUrl = OPENAI_BASE_URL, clock, retry, random } = options
  const isOpenAi = isOpenAiAddress(baseUrl)
  const needsKey = options.needsKey ?? isOpenAi
  const apiKey = options.apiKey?.trim() || undefined
  const contextOf = (model: string): FailureContext => ({
    provider: id,
    baseUrl,
    model,
    ...(needsKey && { keyVariable: options.keyVariable ?? OPENAI_KEY_VARIABLE }),
    secrets: [apiKey],
  })
  let client: OpenAI | undefined
  return {
    id,
    baseUrl,
    isOpenAi,
    async client(model) {
      if (needsKey && apiKey === undefined) throw missingKey(contextOf(model))
      client ??= await newClient(apiKey, baseUrl, {
        ...(!isOpenAi && LOCAL_TIMEOUTS),
        ...options.timeouts,
      })
      return client
    },
    attempts: (model, signal) => ({
      context: contextOf(model),
      clock,
      signal,
      policy: retry,
      random,
    }),
  }
}

function isOpenAiAddress(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false
  const { hostname } = new URL(baseUrl)
  return hostname === 'api.openai.com' || hostname.endsWith('.api.openai.com')
}

/** A system prompt alone is no conversation: every server refuses it, in words of its own. */
export function requireConversation(request: ModelRequest, rule: string, where: string): void {
  if (request.messages.length > 0) return
  throw new PrecisError('invalid-request', `The request would break ${rule}: it says nothing.`, {
    where,
    hint: 'Say something to the model first.',
    details: { rule, where },
  })
}

/** Nothing is taken from the environment: what is for OpenAI must not reach another server. */
async function newClient(
  apiKey: string | undefined,
  baseUrl: string,
  timeouts: Partial<Timeouts>,
): Promise<OpenAI> {
  const sdk = await importPeer('openai', () => import('openai'))
  return new sdk.default({
    apiKey: apiKey ?? 'none',
    ...(apiKey === undefined && { defaultHeaders: { Authorization: null } }),
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: baseUrl,
    maxRetries: 0, // ours know whether something was already shown
    timeout: LONGEST_REQUEST_MS,
    fetch: timedFetch(timeouts),
    logLevel: 'off',
  })
}

/** The SDK's own limit until an answer begins; ours are shorter. */
const LONGEST_REQUEST_MS = 3_600_000

interface Source {
  /** From the base URL, which mostly ends in `/v1`, to the place to ask. */
  place(baseUrl: string): string
  read(answer: Fields, model: string): number | undefined
}

const SOURCES: readonly Source[] = [
  {
    // vLLM, OpenRouter, Groq, llama.cpp: beside the name of the model in the list of models.
    place: (baseUrl) => `${trimmed(baseUrl)}/models`,
    read(answer, model) {
      const entry = readEntry(answer, model)
      const meta = isFields(entry.meta) ? entry.meta : {}
      return tokens(
        entry.max_model_len ?? entry.context_length ?? entry.context_window ?? meta.n_ctx,
      )
    },
  },
  {
    // LM Studio: what the model is loaded with. One that is not loaded yet gets what the user set
    // for it, which nobody tells; the most that it could have would be a guess.
    place: (baseUrl) => `${findRoot(baseUrl)}/api/v0/models`,
    read: (answer, model) => tokens(readEntry(answer, model).loaded_context_length),
  },
  {
    // LM Studio from 0.4 on: by instance, of which there may be several.
    place: (baseUrl) => `${findRoot(baseUrl)}/api/v1/models`,
    read({ models }, model) {
      const entries: readonly Json[] = Array.isArray(models) ? models : []
      const loaded = entries.filter(isFields).flatMap(({ key = null, loaded_instances: each }) => {
        const instances: readonly Json[] = Array.isArray(each) ? each : []
        return instances.filter(isFields).map((instance) => ({ key, instance }))
      })
      const named =
        loaded.find(({ instance }) => instance.id === model) ??
        loaded.find(({ key }) => key === model)
      return isFields(named?.instance.config)
        ? tokens(named.instance.config.context_length)
        : undefined
    },
  },
  {
    // llama.cpp before it said so in the list: it serves one model.
    place: (baseUrl) => `${findRoot(baseUrl)}/props`,
    read({ default_generation_settings: settings }) {
      return isFields(settings) ? tokens(settings.n_ctx) : undefined
    },
  },
]

/** Undefined if the server knows none of the questions, or not the model. */
export async function askWindow(
  client: OpenAI,
  baseUrl: string,
  model: string,
  attempts: Attempts,
): Promise<number | undefined> {
  for (const { place, read } of SOURCES) {
    const answer = await answerFrom(client, place(baseUrl), attempts)
    const window = isFields(answer) ? read(answer, model) : undefined
    if (window !== undefined) return window
  }
  return undefined
}

async function answerFrom(
  client: OpenAI,
  url: string,
  attempts: Attempts,
): Promise<Json | undefined> {
  try {
    return await retryCall(attempts, (signal) => client.get<Json>(url, { signal }))
  } catch (thrown) {
    if (PrecisError.is(thrown) && isNoSuchPlace(thrown)) return undefined
    throw thrown
  }
}

function isNoSuchPlace({ details }: PrecisError): boolean {
  return [400, 404, 405, 501].includes(Number(details.status))
}

function readEntry({ data }: Fields, model: string): Fields {
  const entries: readonly Json[] = Array.isArray(data) ? data : []
  return entries.filter(isFields).find(({ id }) => id === model) ?? {}
}

function tokens(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined
}

function findRoot(baseUrl: string): string {
  return trimmed(baseUrl).replace(/\/v\d+$/, '')
}

function trimmed(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '')
}
