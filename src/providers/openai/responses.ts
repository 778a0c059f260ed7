// OpenAI's Responses API through the official SDK. The server stores nothing; reasoning is sent back.
import type OpenAI from 'openai'
import type {
  ResponseCreateParamsStreaming,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses'
import type { ModelFrame, ModelRequest, Provider } from '../../core/model.ts'
import type { Fields, Json } from '../../core/text/json.ts'
import type { ModelRef } from '../../core/view/content.ts'
import { PROFILES } from '../../validate/validate.ts'
import { OPENAI_RESPONSES, type ResponsesProfile } from '../../wire/openai-responses/items.ts'
import { writeResponses } from '../../wire/openai-responses/write.ts'
import { preparing, requireValid } from '../checked-provider.ts'
import { retryCall, retryStream } from '../failures/timed-fetch.ts'
import { type OpenAiOptions, openAiAccess, requireConversation } from './access.ts'
import { concession, openable, type Terms } from './concessions.ts'
import { ResponsesDecoder } from './decode-responses.ts'
import { withRepairs } from './stretches.ts'

export interface OpenAiResponsesOptions extends OpenAiOptions {
  /** The known rules of a model; unknown ones are learnt from the first refusal. */
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
      checkedBody(request, termsOf(model)) // before asking for a key
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

/** Such models reject requests for their reasoning (VALID-R5). An unknown name more likely reasons. */
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

/** The parts of the body that token counting accepts. */
function countable(body: Fields) {
  const names = ['model', 'instructions', 'input', 'tools', 'tool_choice', 'reasoning']
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)))
}

interface OpenStream {
  readonly events: AsyncIterable<ResponseStreamEvent>
  readonly checked: CheckResult
  readonly terms: Terms
}

/** Drops features as long as the refusals are about them. */
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
