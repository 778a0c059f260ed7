// Asks for a summary in one of two forms: in the conversation, or apart with the conversation as data.
import type { StrategyInput, SummaryForm } from '../../core/edit/strategy.ts'
import { PrecisError } from '../../core/errors.ts'
import type { AskAnswer, AskRequest, ModelPort } from '../../core/ports.ts'
import { buildMessages, conversationModel } from '../../core/view/build.ts'
import type { TokenUsage } from '../../core/view/content.ts'
import type { Item } from '../../core/view/entry.ts'
import type { Message } from '../../core/view/message.ts'
import { readContext } from '../../core/window/reading.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import { sumUsage, withUsage } from '../../core/window/usage.ts'
import { askApart, checkedAnswer, outputRoom } from './ask-apart.ts'
import { serializeConversation } from './serialize.ts'
import { aboutRecord, SUMMARIZER_OF_MESSAGES } from './summarizer-prompt.ts'

export interface InConversation {
  readonly provider: ModelPort
  readonly input: Pick<StrategyInput, 'context' | 'eventAt' | 'run'>
  readonly prompt: string
  readonly maxOutputTokens?: number
}

export interface SummaryRequest extends InConversation {
  /** What to summarise, if asked apart. */
  readonly items: readonly Item[]
  /** The form of the strategy's design; `run.form` overrides it. */
  readonly form: SummaryForm
  /** Used instead of the conversation if the user set no form. */
  readonly spoken?: readonly Message[]
}

/** Rejects like `checkedAnswer`. Asks apart if it cannot ask within the conversation. */
export async function askForSummary(request: SummaryRequest): Promise<AskAnswer> {
  const { provider, input, items, prompt, form, spoken, maxOutputTokens } = request
  const { context, eventAt, run } = input
  const isSpoken = run.form === undefined && spoken !== undefined
  const asked = isSpoken
    ? await askAbout(request, spoken)
    : (run.form ?? form) === 'conversation'
      ? await askInConversation(request)
      : undefined
  if (asked) return asked
  return askApart({
    provider,
    run,
    conversation: conversationModel(context, eventAt),
    transcript: serializeConversation(items, eventAt),
    prompt: aboutRecord(prompt),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  })
}

/**
 * Appends one message to the conversation; the prefix is as sent last. Undefined if impossible: longer than
 * the window, or waiting for a tool.
 */
export async function askInConversation(request: InConversation): Promise<AskAnswer | undefined> {
  const { context, eventAt, run } = request.input
  if (context.open.size > 0) return undefined
  const { system, messages } = buildMessages(context, eventAt)
  const { tools = [], thinking } = run
  const within = { system, tools, ...(thinking && { thinking }) }
  return askIfItFits(request, { within, messages }, readContext(context).tokens)
}

/** Sends these messages and the request to a summariser whose system prompt explains them, without tools. */
function askAbout(
  request: InConversation,
  messages: readonly Message[],
): Promise<AskAnswer | undefined> {
  const said = messages.flatMap(({ parts }) =>
    parts.map((part) => ('text' in part ? part.text : '')),
  )
  return askIfItFits(
    request,
    { system: SUMMARIZER_OF_MESSAGES, messages },
    estimateTokens(`${SUMMARIZER_OF_MESSAGES}${said.join('')}`),
  )
}

/** Allows for estimation errors; larger ones cause a refusal, which is handled. */
const FULL = 0.98

async function askIfItFits(
  { provider, input, prompt, maxOutputTokens: wanted }: InConversation,
  request: Pick<AskRequest, 'system' | 'within' | 'messages'>,
  tokens: number | undefined,
): Promise<AskAnswer | undefined> {
  const { context, eventAt, run } = input
  const { model = 'default', signal } = run
  const limits = (await provider.limitsOf?.(model, signal)) ?? {}
  const maxOutputTokens = outputRoom(limits, wanted)
  const { windowTokens = Number.POSITIVE_INFINITY } = limits
  if ((tokens ?? 0) + estimateTokens(prompt) > (windowTokens - maxOutputTokens) * FULL)
    return undefined
  const conversation = conversationModel(context, eventAt)
  try {
    return await withoutCalls(provider, {
      ...request,
      messages: [...request.messages, { role: 'user', parts: [{ type: 'text', text: prompt }] }],
      model,
      maxOutputTokens,
      ...(conversation && { conversation }),
      ...(signal && { signal }),
    })
  } catch (error) {
    if (PrecisError.is(error) && error.code === 'overflow') return undefined
    throw error
  }
}

/**
 * Offers the conversation's tools so that its cached prefix counts. If the model calls one, asks again: first
 * forbidding calls, then without tools.
 */
async function withoutCalls(provider: ModelPort, request: AskRequest): Promise<AskAnswer> {
  const { within } = request
  const offered = within?.tools.length
    ? [within, { ...within, toolChoice: 'none' as const }, { ...within, tools: [] }]
    : [within]
  let spent: TokenUsage | undefined
  for (const [at, each] of offered.entries())
    try {
      const answer = await checkedAnswer(provider, { ...request, ...(each && { within: each }) })
      const usage = answer.usage && sumUsage(spent, answer.usage)
      return usage ? { ...answer, usage } : answer
    } catch (error) {
      const isCall = PrecisError.is(error) && error.details.ending === 'tool_use'
      if (!isCall || at + 1 === offered.length) throw withUsage(error, spent)
      const { usage } = error.details as { readonly usage?: TokenUsage }
      if (usage) spent = sumUsage(spent, usage)
    }
  throw new PrecisError('internal', 'No request was made.')
}

export function noModel(message: string): PrecisError {
  return new PrecisError('no-model', message, {
    hint: 'Name a model: --model M, models.default in the settings, or { provider } in a program; `dev` tries it out without a key. The default strategy, cascade, needs none.',
  })
}
