// Anthropic's Messages API through the official SDK.
import type Anthropic from '@anthropic-ai/sdk'
import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages'
import { importPeer } from '../../core/errors.ts'
import type { ModelFrame, ModelRequest, Provider, Signal } from '../../core/model.ts'
import type { Clock } from '../../core/ports.ts'
import type { Json } from '../../core/text/json.ts'
import type { Profile, Violation } from '../../validate/rule.ts'
import { PROFILES } from '../../validate/validate.ts'
import { without } from '../../wire/anthropic/shape.ts'
import { ANTHROPIC_BASE_URL, ANTHROPIC_KEY_VARIABLE } from '../catalogue.ts'
import { preparing, requireValid } from '../checked-provider.ts'
import type { FailureContext } from '../failures/failure-kinds.ts'
import { missingKey } from '../failures/failures.ts'
import { computeEstimate } from '../failures/silent-overflow.ts'
import {
  type Attempts,
  type RetryPolicy,
  retryCall,
  retryStream,
  type Timeouts,
  timedFetch,
} from '../failures/timed-fetch.ts'
import { buildWire, type Wire } from './body.ts'
import { StreamDecoder, type StreamSource } from './decode.ts'
import { afterRefusedThinking, BoundThinking, type SentThinking } from './kept-thinking.ts'
import type { ThinkingStyle } from './thinking.ts'

export interface AnthropicOptions {
  /** The name of another server with the same API; default `anthropic`. */
  readonly id?: string
  readonly apiKey?: string | undefined
  readonly baseUrl?: string | undefined
  readonly clock: Clock
  readonly random?: () => number
  readonly retry?: Partial<RetryPolicy>
  readonly timeouts?: Partial<Timeouts>
  /** The rules for requests to this model. */
  readonly profileOf?: (model: string) => Profile
  readonly thinkingStyleOf?: (model: string) => ThinkingStyle
}

/** Looks for a key only on a request, so the provider can be named and listed without one. */
export function anthropicProvider(options: AnthropicOptions): Provider {
  const { id = 'anthropic', baseUrl = ANTHROPIC_BASE_URL, apiKey, clock } = options
  const profileOf = options.profileOf ?? (() => PROFILES.anthropic)
  const thinkingStyleOf = options.thinkingStyleOf ?? (() => 'adaptive' as const)
  const failureContext = (model: string): FailureContext => ({
    provider: id,
    baseUrl,
    model,
    keyVariable: ANTHROPIC_KEY_VARIABLE,
    secrets: [apiKey],
  })
  let client: Anthropic | undefined
  const clientFor = async (context: FailureContext): Promise<Anthropic> => {
    if (apiKey === undefined || apiKey.trim() === '') throw missingKey(context)
    client ??= await newClient(apiKey, baseUrl, options.timeouts)
    return client
  }
  const attemptsOf = (model: string, signal: Signal | undefined): Attempts => ({
    context: failureContext(model),
    clock,
    signal,
    policy: options.retry,
    random: options.random,
  })
  const bound = new BoundThinking()
  const written = (request: ModelRequest, isCounting: boolean): Wire =>
    checkedWire(request, {
      provider: id,
      profile: profileOf(request.model),
      thinkingStyle: thinkingStyleOf(request.model),
      bound,
      isCounting,
    })
  const provider: Provider = {
    id,
    async *stream(request) {
      const { model, signal, onRetry, onBegin } = request
      const wire = written(request, false)
      const asked = await clientFor(failureContext(model))
      const { preservedThinking } = profileOf(model)
      yield* retryStream({ ...attemptsOf(model, signal), onRetry }, (attemptSignal) => {
        const seen = preservedThinking ? bound.follow(wire.conversation) : undefined
        return openStream(asked, wire, attemptSignal, { provider: id, model, onBegin }, seen)
      })
    },
    async countTokens(request) {
      const { model, signal } = request
      const wire = written(request, true)
      const asked = await clientFor(failureContext(model))
      const body = without(wire.body, 'max_tokens')
      const { input_tokens: tokens } = await retryCall(attemptsOf(model, signal), (attemptSignal) =>
        asked.messages.countTokens(body as unknown as MessageCreateParamsStreaming, {
          signal: attemptSignal,
          headers: betaHeaders(wire.betas),
        }),
      )
      return tokens
    },
    async windowOf(model, signal) {
      const asked = await clientFor(failureContext(model))
      const info = await retryCall(attemptsOf(model, signal), (attemptSignal) =>
        asked.models.retrieve(model, undefined, { signal: attemptSignal }),
      )
      return info.max_input_tokens ?? undefined
    },
  }
  return preparing(afterRefusedThinking(provider), profileOf)
}

/** Passes key and address explicitly, so the SDK reads neither from the environment. Loads the SDK. */
async function newClient(
  apiKey: string,
  baseUrl: string,
  timeouts: Partial<Timeouts> = {},
): Promise<Anthropic> {
  const sdk = await importPeer('@anthropic-ai/sdk', () => import('@anthropic-ai/sdk'))
  return new sdk.default({
    apiKey: apiKey.trim(),
    baseURL: baseUrl,
    webhookKey: null,
    maxRetries: 0, // our retries know whether output was already shown
    timeout: LONGEST_REQUEST_MS,
    fetch: timedFetch(timeouts),
    logLevel: 'off',
    openTelemetry: false,
  })
}

/** The SDK's own limit until an answer begins; ours are shorter. */
const LONGEST_REQUEST_MS = 3_600_000

async function* openStream(
  client: Anthropic,
  { body, betas, repairs }: Wire,
  signal: AbortSignal,
  source: StreamSource,
  seen: ((frame: ModelFrame) => void) | undefined,
): AsyncGenerator<ModelFrame> {
  const decoder = new StreamDecoder(source)
  const parameters = { ...body, stream: true } as unknown as MessageCreateParamsStreaming
  const events = await client.messages.create(parameters, { signal, headers: betaHeaders(betas) })
  let isFirst = true
  for await (const event of events) {
    for (const frame of decoder.decode(event as unknown as Json)) {
      // Only now, because a yielded frame rules out a second attempt.
      if (isFirst && repairs.length > 0) yield { type: 'repairs', problems: repairs }
      isFirst = false
      seen?.(frame)
      yield frame
    }
  }
  if (!signal.aborted) decoder.requireComplete()
}

function betaHeaders(betas: readonly string[]): Record<string, string> {
  return betas.length === 0 ? {} : { 'anthropic-beta': betas.join(',') }
}

/** Writes and validates the body of a request, with the known thinking. */
interface Sender {
  readonly provider: string
  readonly profile: Profile
  readonly thinkingStyle: ThinkingStyle
  readonly bound: BoundThinking
  /** Counting is allowed for requests that cannot be answered. */
  readonly isCounting: boolean
}

/** Throws if a rule is broken or the request cannot fit the window. */
function checkedWire(request: ModelRequest, sender: Sender): Wire {
  const { provider, profile, thinkingStyle, bound, isCounting } = sender
  const isBinding = profile.preservedThinking
  const wire = buildWire(request, {
    provider,
    thinkingStyle,
    ...(isBinding && {
      mayHoldStaleThinking: (conversation, note) => isUnsure(bound.look(conversation), note),
    }),
  })
  const needsTokens = profile.windowTokens !== undefined && !isCounting
  const isLeftToRules = isBinding && request.dropStaleThinking === false
  requireValid(
    profile,
    { ...wire.body, betas: wire.betas },
    {
      ...(needsTokens && { requestTokens: leastTokens(request) }),
      ...(isLeftToRules && { violations: staleIn(bound.look(wire.conversation)) }),
    },
  )
  return wire
}

/** The request contains thinking whose original prefix this process has not seen. */
function isUnsure(sent: readonly SentThinking[], note: (problem: string) => void): boolean {
  const stale = staleIn(sent).length
  if (stale > 0)
    note(`thinking behind a changed past (${stale}): the provider drops what no longer fits`)
  return sent.some(({ fit }) => fit !== 'fits')
}

function staleIn(sent: readonly SentThinking[]): Violation[] {
  return sent.filter(({ fit }) => fit === 'stale').map(({ violation }) => violation)
}

/** Estimates may be far off for odd texts, so this stops only hopeless requests. */
const CERTAIN_SHARE = 0.5

/** A lower bound of the tokens, computed without a request. */
function leastTokens(request: ModelRequest): number {
  return Math.floor(computeEstimate(request) * CERTAIN_SHARE)
}
