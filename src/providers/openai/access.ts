// Shared by both OpenAI APIs: client, key, failures and retries
import type OpenAI from 'openai'
import { importPeer, PrecisError } from '../../core/errors.ts'
import type { ModelRequest, Signal } from '../../core/model.ts'
import type { Clock } from '../../core/ports.ts'
import { OPENAI_BASE_URL, OPENAI_KEY_VARIABLE } from '../catalogue.ts'
import type { FailureContext } from '../failures/failure-kinds.ts'
import { missingKey } from '../failures/failures.ts'
import {
  type Attempts,
  type RetryPolicy,
  type Timeouts,
  timedFetch,
} from '../failures/timed-fetch.ts'

export interface OpenAiOptions {
  /** The provider name of the server's models, their thinking and native items. */
  readonly id?: string
  readonly apiKey?: string | undefined
  readonly baseUrl?: string | undefined
  /** Default: only OpenAI's own address needs one. */
  readonly needsKey?: boolean
  readonly keyVariable?: string
  readonly clock: Clock
  readonly random?: () => number
  readonly retry?: Partial<RetryPolicy>
  readonly timeouts?: Partial<Timeouts>
}

/** A local machine may read a long prompt for minutes before its first word. */
export const LOCAL_TIMEOUTS: Timeouts = { connectMs: 300_000, idleMs: 300_000 }

interface Access {
  readonly id: string
  readonly baseUrl: string
  readonly isOpenAi: boolean
  /** Rejects if a required key is missing. The first call loads the SDK. */
  client(model: string): Promise<OpenAI>
  attempts(model: string, signal: Signal | undefined): Attempts
}

/** Looks for a key only on a request, so the provider can be named and listed without one. */
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

/** Every server rejects a lone system prompt, each in its own words. */
export function requireConversation(request: ModelRequest, rule: string, where: string): void {
  if (request.messages.length > 0) return
  throw new PrecisError('invalid-request', `The request would break ${rule}: it says nothing.`, {
    where,
    hint: 'Say something to the model first.',
    details: { rule, where },
  })
}

/** Reads nothing from the environment: settings for OpenAI must not reach another server. */
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
    maxRetries: 0, // our retries know whether output was already shown
    timeout: LONGEST_REQUEST_MS,
    fetch: timedFetch(timeouts),
    logLevel: 'off',
  })
}

/** The SDK's own limit until an answer begins; ours are shorter. */
const LONGEST_REQUEST_MS = 3_600_000
