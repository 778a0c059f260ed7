// OpenAI's Responses API through the official SDK: nothing is stored there, reasoning is carried along.
import type OpenAI from 'openai'
import type {
  ResponseCreateParamsStreaming,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses'
import type { ModelFrame, ModelRequest, Provider } from '../../core/model.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { Message, MessagePart, ModelRef } from '../../core/view/content.ts'
import { PROFILES } from '../../validate/validate.ts'
import type { Note } from '../../wire/openai-chat/rounds.ts'
import {
  OPENAI_RESPONSES,
  type ResponsesProfile,
  writeResponses,
} from '../../wire/openai-responses/write.ts'
import { preparing, requireValid } from '../checked-provider.ts'
import { readFailure } from '../failures/failure.ts'
import { retryCall, retryStream } from '../failures/timed-fetch.ts'
import { type OpenAiOptions, openAiAccess, requireConversation } from './access.ts'
import { ResponsesDecoder, withRepairs } from './decode-responses.ts'

export interface OpenAiResponsesOptions extends OpenAiOptions {
  /** What a model takes, if it is known; what is not is learnt from the first refusal. */
  readonly profileOf?: (model: string) => Partial<ResponsesProfile>
}

export function openaiResponsesProvider(options: OpenAiResponsesOptions): Provider {
  const access = openAiAccess(options, 'openai')
  const { id } = access
  const learnt = new Map<string, Terms>()
  const termsOf = (model: string): Terms =>
    learnt.get(model) ?? {
      profile: {
        ...OPENAI_RESPONSES,
        encryptedReasoning: !isKnownNotToReason(model),
        ...options.profileOf?.(model),
        provider: id,
      },
      sealed: new Set(),
    }
  const provider: Provider = {
    id,
    async *stream(request) {
      const { model, signal } = request
      checkedBody(request, termsOf(model)) // before a key is asked for
      const client = await access.client(model)
      yield* retryStream(
        { ...access.attempts(model, signal), onRetry: request.onRetry },
        async function* (attemptSignal) {
          const opened = await open(client, request, termsOf(model), attemptSignal)
          learnt.set(model, opened.terms)
          const frames = buildFrames(opened, `${id}/${model}`, attemptSignal)
          yield* withRepairs(opened.checked.repairs, frames)
        },
      )
    },
    async countTokens(request) {
      const { model, signal } = request
      const { body } = checkedBody(request, termsOf(model))
      const client = await access.client(model)
      const { input_tokens: tokens } = await retryCall(
        access.attempts(model, signal),
        (attemptSignal) =>
          client.responses.inputTokens.count(countable(body), { signal: attemptSignal }),
      )
      return tokens
    },
  }
  return preparing(provider, () => PROFILES['openai-responses'])
}

/** They refuse to be asked for their reasoning (VALID-R5). Of a name to come the opposite is likelier. */
function isKnownNotToReason(model: string): boolean {
  return /^(?:ft:)?(?:gpt-3|gpt-4|chatgpt)|-chat(?:-|$)/.test(model)
}

interface CheckResult {
  readonly body: Fields
  readonly repairs: readonly string[]
  toolName(wireName: string): string
}

function checkedBody(request: ModelRequest, terms: Terms): CheckResult {
  requireConversation(request, 'VALID-R6', 'input')
  const repairs: string[] = []
  const note = (problem: string) => repairs.push(problem)
  const messages = openable(request.messages, terms, note)
  const { body, toolName } = writeResponses({ ...request, messages }, terms.profile, note)
  requireValid(PROFILES['openai-responses'], body)
  return { body, repairs, toolName }
}

/** Of the body, what the count of its tokens takes. */
function countable(body: Fields) {
  const names = ['model', 'instructions', 'input', 'tools', 'tool_choice', 'reasoning']
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)))
}

interface OpenStream {
  readonly events: AsyncIterable<ResponseStreamEvent>
  readonly checked: CheckResult
  readonly terms: Terms
}

/** Asks for less as long as that is what the refusals are about. */
async function open(
  client: OpenAI,
  request: ModelRequest,
  first: Terms,
  signal: AbortSignal,
): Promise<OpenStream> {
  let terms = first
  for (;;) {
    const checked = checkedBody(request, terms)
    const parameters = checked.body as unknown as ResponseCreateParamsStreaming
    try {
      return { events: await client.responses.create(parameters, { signal }), checked, terms }
    } catch (thrown) {
      const less = concession(thrown, terms, request.messages)
      if (less === undefined) throw thrown
      terms = less
    }
  }
}

async function* buildFrames(
  { events, checked: { toolName }, terms }: OpenStream,
  model: ModelRef,
  signal: AbortSignal,
): AsyncGenerator<ModelFrame> {
  const decoder = new ResponsesDecoder({ provider: terms.profile.provider, model, toolName })
  for await (const event of events) yield* decoder.decode(event as unknown as Json)
  if (!signal.aborted) decoder.requireComplete()
}

// Refusals that asking for less gets past: what a model, or an account, turns out not to have.

/** How a model is asked, as far as it is known by now. */
interface Terms {
  readonly profile: ResponsesProfile
  /** Reasoning that the server could not open: sealed by another model or account (VALID-R5). */
  readonly sealed: ReadonlySet<string>
}

interface Concession {
  readonly pattern: RegExp // of the code or the words
  /** Undefined if that was not asked for, so that it cannot be the reason. */
  apply(terms: Terms, messages: readonly Message[]): Terms | undefined
}

const CONCESSIONS: readonly Concession[] = [
  {
    // A model that does not reason.
    pattern: /encrypted content is not supported with this model/i,
    apply: ({ profile, sealed }) =>
      profile.encryptedReasoning
        ? { profile: { ...profile, encryptedReasoning: false }, sealed }
        : undefined,
  },
  {
    // An account that may not read summaries.
    pattern: /must be verified to generate reasoning summar/i,
    apply: ({ profile, sealed }) =>
      profile.reasoningSummary
        ? { profile: { ...profile, reasoningSummary: false }, sealed }
        : undefined,
  },
  {
    pattern: /invalid_encrypted_content|encrypted content .*could not be (?:verified|decrypted)/is,
    apply({ profile, sealed }, messages) {
      const sent = messages.flatMap(({ parts }) => parts.map((part) => readName(part, profile)))
      const fresh = sent.filter((name) => name !== undefined && !sealed.has(name))
      return fresh.length === 0 ? undefined : { profile, sealed: new Set(sent.filter(isName)) }
    },
  },
]

/** What to ask instead, or undefined if less would not help. Each can be made once. */
function concession(
  thrown: unknown,
  terms: Terms,
  messages: readonly Message[],
): Terms | undefined {
  const { status, codes, message } = readFailure(thrown)
  if (status !== 400) return undefined
  const said = [...codes, message]
  const fitting = CONCESSIONS.find(({ pattern }) => said.some((text) => pattern.test(text)))
  return fitting?.apply(terms, messages)
}

/** The messages without the reasoning that cannot be opened. */
function openable(
  messages: readonly Message[],
  { profile, sealed }: Terms,
  note: Note,
): readonly Message[] {
  if (sealed.size === 0) return messages
  return messages.map(({ role, parts }) => ({
    role,
    parts: parts.filter((part) => {
      const name = readName(part, profile)
      if (name === undefined || !sealed.has(name)) return true
      note(`the reasoning ${name} was sealed by another model or account; it was left out`)
      return false
    }),
  }))
}

function readName(part: MessagePart, { provider }: ResponsesProfile): string | undefined {
  if (part.type !== 'native' || part.provider !== provider || !isFields(part.value))
    return undefined
  const { type, id, encrypted_content: content } = part.value
  if (type !== 'reasoning') return undefined
  return [id, content].find(isName)
}

function isName(value: unknown): value is string {
  return typeof value === 'string'
}
