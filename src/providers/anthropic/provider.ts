// Anthropic's Messages API through the official SDK.
import Anthropic from '@anthropic-ai/sdk'
import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages'
import type { Json } from '../../core/json.ts'
import type { ModelFrame, ModelRequest, Provider } from '../../core/model.ts'
import type { Clock, Signal } from '../../core/ports.ts'
import { PROFILES } from '../../validate/profiles.ts'
import type { Profile, Violation } from '../../validate/rule.ts'
import { without } from '../../wire/anthropic/shape.ts'
import type { FailureContext } from '../failure-kinds.ts'
import { missingKey } from '../failures.ts'
import { preparing } from '../prepared.ts'
import { type Attempts, type RetryPolicy, retryCall, retryStream } from '../retry.ts'
import { estimateOf } from '../silent-overflow.ts'
import { type Timeouts, timedFetch } from '../timed-fetch.ts'
import { requireValid } from '../validated.ts'
import { type Wire, wireOf } from './body.ts'
import { BoundThinking, type SentThinking } from './bound-thinking.ts'
import { StreamDecoder } from './decode.ts'
import type { ThinkingStyle } from './thinking.ts'

export interface AnthropicOptions {
  /** Another name for another server with the same API; `anthropic` where absent. */
  readonly id?: string
  readonly apiKey?: string | undefined
  readonly baseUrl?: string | undefined
  readonly clock: Clock
  readonly random?: () => number
  readonly retry?: Partial<RetryPolicy>
  readonly timeouts?: Partial<Timeouts>
  /** What a request to this model is checked against. */
  readonly profileOf?: (model: string) => Profile
  readonly thinkingStyleOf?: (model: string) => ThinkingStyle
}

export const ANTHROPIC_BASE_URL = 'https://api.anthropic.com'
export const ANTHROPIC_KEY_VARIABLE = 'ANTHROPIC_API_KEY'

/** A key is only looked for when something is asked: until then the provider can be named and listed. */
export function anthropicProvider(options: AnthropicOptions): Provider {
  const { id = 'anthropic', baseUrl = ANTHROPIC_BASE_URL, apiKey, clock } = options
  const profileOf = options.profileOf ?? (() => PROFILES.anthropic)
  const thinkingStyleOf = options.thinkingStyleOf ?? (() => 'adaptive' as const)
  const contextOf = (model: string): FailureContext => ({
    provider: id,
    baseUrl,
    model,
    keyVariable: ANTHROPIC_KEY_VARIABLE,
    secrets: [apiKey],
  })
  let client: Anthropic | undefined
  const clientFor = (context: FailureContext): Anthropic => {
    if (apiKey === undefined || apiKey.trim() === '') throw missingKey(context)
    client ??= newClient(apiKey, baseUrl, options.timeouts)
    return client
  }
  const attemptsOf = (model: string, signal: Signal | undefined): Attempts => ({
    context: contextOf(model),
    clock,
    signal,
    policy: options.retry,
    random: options.random,
  })
  const bound = new BoundThinking()
  const checkedWire = (request: ModelRequest, isCounting: boolean): Wire => {
    const { model, dropStaleThinking } = request
    const profile: Profile = profileOf(model)
    const wire = wireOf(request, {
      provider: id,
      thinkingStyle: thinkingStyleOf(model),
      ...(profile.preservedThinking && {
        mayHoldStaleThinking: (conversation, note) => isUnsure(bound.look(conversation), note),
      }),
    })
    const isLeftToRules = profile.preservedThinking && dropStaleThinking === false
    requireValid(
      profile,
      { ...wire.body, betas: wire.betas },
      {
        ...(profile.windowTokens !== undefined &&
          !isCounting && { requestTokens: leastTokens(request) }),
        ...(isLeftToRules && { violations: staleIn(bound.look(wire.conversation)) }),
      },
    )
    return wire
  }
  const provider: Provider = {
    id,
    async *stream(request) {
      const { model, signal } = request
      const wire = checkedWire(request, false)
      const asked = clientFor(contextOf(model))
      const isBinding = profileOf(model).preservedThinking
      yield* retryStream(attemptsOf(model, signal), async function* (attemptSignal) {
        const seen = isBinding ? bound.follow(wire.conversation) : undefined
        const source = { provider: id, model }
        for await (const frame of openStream(asked, wire, attemptSignal, source)) {
          seen?.(frame)
          yield frame
        }
      })
    },
    async countTokens(request) {
      const { model, signal } = request
      const wire = checkedWire(request, true)
      const asked = clientFor(contextOf(model))
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
      const asked = clientFor(contextOf(model))
      const info = await retryCall(attemptsOf(model, signal), (attemptSignal) =>
        asked.models.retrieve(model, undefined, { signal: attemptSignal }),
      )
      return info.max_input_tokens ?? undefined
    },
  }
  return preparing(provider, profileOf)
}

/** Thinking is sent that this process did not see being made behind these very words. */
function isUnsure(sent: readonly SentThinking[], note: (problem: string) => void): boolean {
  const stale = staleIn(sent).length
  if (stale > 0)
    note(`thinking behind a changed past (${stale}): the provider drops what no longer fits`)
  return sent.some(({ fit }) => fit !== 'fits')
}

function staleIn(sent: readonly SentThinking[]): Violation[] {
  return sent.filter(({ fit }) => fit === 'stale').map(({ violation }) => violation)
}

/** An estimate may be wrong by much for odd texts: what is stopped by it must be hopeless. */
const CERTAIN_SHARE = 0.5

/** At least so many tokens, as far as anybody can tell without asking. */
function leastTokens(request: ModelRequest): number {
  return Math.floor(estimateOf(request) * CERTAIN_SHARE)
}

/** Key and address are given, so that the SDK looks for none of its own in the environment. */
function newClient(apiKey: string, baseUrl: string, timeouts: Partial<Timeouts> = {}): Anthropic {
  return new Anthropic({
    apiKey: apiKey.trim(),
    baseURL: baseUrl,
    webhookKey: null,
    maxRetries: 0, // ours know whether something was already shown
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
  source: { readonly provider: string; readonly model: string },
): AsyncGenerator<ModelFrame> {
  const decoder = new StreamDecoder(source)
  const parameters = { ...body, stream: true } as unknown as MessageCreateParamsStreaming
  const events = await client.messages.create(parameters, { signal, headers: betaHeaders(betas) })
  let isFirst = true
  for await (const event of events) {
    for (const frame of decoder.decode(event as unknown as Json)) {
      // Only now: a frame that was given out rules out a second attempt.
      if (isFirst && repairs.length > 0) yield { type: 'repairs', problems: repairs }
      isFirst = false
      yield frame
    }
  }
  if (!signal.aborted) decoder.requireComplete()
}

function betaHeaders(betas: readonly string[]): Record<string, string> {
  return betas.length === 0 ? {} : { 'anthropic-beta': betas.join(',') }
}
