// Shared by both OpenAI APIs: client, key, failures and retries
import type OpenAI from 'openai'
import { importPeer, PrecisError } from '../../core/errors.ts'
import type { ModelRequest } from '../../core/model.ts'
import type { Clock, Signal } from '../../core/ports.ts'
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
