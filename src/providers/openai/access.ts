// Shared by both OpenAI APIs: client, key, failures and retries
import OpenAI from 'openai'
import { PrecisError } from '../../core/errors.ts'
import type { ModelRequest } from '../../core/model.ts'
import type { Clock, Signal } from '../../core/ports.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { TokenUsage } from '../../core/view/content.ts'
import type { FailureContext } from '../failures/failure-kinds.ts'
import { missingKey } from '../failures/failures.ts'
import {
  type Attempts,
  type RetryPolicy,
  type Timeouts,
  timedFetch,
} from '../failures/timed-fetch.ts'
import { OPENAI_BASE_URL, OPENAI_KEY_VARIABLE } from './address.ts'

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
  /** Throws if a key is needed and missing. */
  client(model: string): OpenAI
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
    client(model) {
      if (needsKey && apiKey === undefined) throw missingKey(contextOf(model))
      client ??= newClient(apiKey, baseUrl, {
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
function newClient(
  apiKey: string | undefined,
  baseUrl: string,
  timeouts: Partial<Timeouts>,
): OpenAI {
  return new OpenAI({
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

// Converts OpenAI's usage; cached tokens are part of the prompt tokens

/** Of Chat Completions. DeepSeek has a name of its own for what came out of the cache. */
export function chatUsage(reported: Json | undefined): TokenUsage | undefined {
  if (!isFields(reported)) return undefined
  const details = fieldsIn(reported, 'prompt_tokens_details')
  return readUsage(
    count(reported, 'prompt_tokens'),
    count(reported, 'completion_tokens'),
    count(details, 'cached_tokens') ?? count(reported, 'prompt_cache_hit_tokens'),
    count(details, 'cache_write_tokens'),
  )
}

/** Of Responses. */
export function responsesUsage(reported: Json | undefined): TokenUsage | undefined {
  if (!isFields(reported)) return undefined
  const details = fieldsIn(reported, 'input_tokens_details')
  return readUsage(
    count(reported, 'input_tokens'),
    count(reported, 'output_tokens'),
    count(details, 'cached_tokens'),
    count(details, 'cache_write_tokens'),
  )
}

/** Without both figures there is no usage: unknown is not zero. */
function readUsage(
  prompt: number | undefined,
  completion: number | undefined,
  cacheRead: number | undefined,
  cacheWrite: number | undefined,
): TokenUsage | undefined {
  if (prompt === undefined || completion === undefined) return undefined
  return {
    promptTokens: prompt,
    completionTokens: completion,
    totalTokens: prompt + completion,
    ...(cacheRead !== undefined && { cacheReadTokens: cacheRead }),
    ...(cacheWrite !== undefined && { cacheWriteTokens: cacheWrite }),
  }
}

function fieldsIn(fields: Fields, name: string): Fields {
  const value = fields[name]
  return isFields(value) ? value : {}
}

function count(fields: Fields, name: string): number | undefined {
  const value = fields[name]
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}
