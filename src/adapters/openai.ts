// `precis/openai`: makes messages fit, on the caller's own client of OpenAI's SDK.
import type { Compactor, CompactorOptions } from '../compactor/compactor-interface.ts'
import { PrecisError } from '../core/errors.ts'
import * as option from '../core/options.ts'
import type { ModelPort } from '../core/ports.ts'
import { compactorFor, isCompactor, requireClient } from './compactor-for.ts'
import { fittingClient, type SendingClient } from './fitting-client.ts'
import { MAX_OUTPUT_TOKENS, plainPrompt, readStopReason } from './prompt-text.ts'
import { RECALL_DESCRIPTION, RECALL_INPUT, RECALL_NAME, runRecall } from './recall-tool.ts'

type Create = (body: never, options?: never) => unknown

/** The used part of `new OpenAI()`. */
export interface OpenAiClient {
  readonly chat: { readonly completions: { readonly create: Create } }
  readonly responses: { readonly create: Create }
}

export type OpenAiOptions = Omit<CompactorOptions, 'format'>

/** A model for summaries on your client: `model` of `compact` and `createCompactor`. */
export function openaiModel(
  client: Pick<OpenAiClient, 'chat'>,
  options: { readonly model: string },
): ModelPort {
  requireClient('openaiModel', client, ['chat.completions.create'])
  option.checkOptions('openaiModel', options, { model: option.text })
  const { model } = options
  return {
    async ask(request) {
      const { system, messages } = plainPrompt(request)
      const body = {
        model,
        max_completion_tokens: request.maxOutputTokens ?? MAX_OUTPUT_TOKENS,
        messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...messages],
      }
      const options = request.signal && { signal: request.signal }
      const answer = (await client.chat.completions.create(body as never, options as never)) as {
        readonly choices: readonly {
          readonly message: { readonly content?: string | null }
          readonly finish_reason?: string
        }[]
      }
      const [choice] = answer.choices
      return {
        text: choice?.message.content ?? '',
        stopReason: readStopReason(choice?.finish_reason),
      }
    },
  }
}

/**
 * A client like yours whose `chat.completions` and `responses` send messages that fit: `create`, `stream`, `parse` and
 * `runTools`, also after `withOptions`. Pass the whole history each time; the prefix stays stable between compactions.
 */
export function withCompaction<C extends OpenAiClient & SendingClient>(
  client: C,
  options: OpenAiOptions,
): C & { readonly compactor: Compactor<object>; readonly responsesCompactor: Compactor<object> } {
  const methods = ['chat.completions.create', 'responses.create', 'post', 'withOptions']
  requireClient('withCompaction', client, methods)
  if (isCompactor(options))
    throw new PrecisError('invalid-input', 'withCompaction: `options` must not be a compactor.', {
      where: 'options',
      hint: 'Each of the two APIs creates its own compactor. Pass the options for a compactor instead.',
    })
  const chat = compactorFor('withCompaction', options, 'openai-chat')
  const { threadId } = options
  const beside = threadId !== undefined && { threadId: `${threadId}.responses` }
  const apart = { ...options, ...beside }
  const responses = compactorFor('withCompaction', apart, 'openai-responses')
  const routes = [
    { path: '/chat/completions', field: 'messages', compactor: chat },
    { path: '/responses', field: 'input', compactor: responses },
  ] as const
  return fittingClient(client, routes, { compactor: chat, responsesCompactor: responses })
}

/** The tool `recall` for `tools` of both APIs, and its handler. Create the compactor with `refs: true`. */
export function recallTool(compactor: Pick<Compactor<never>, 'recall'>) {
  option.checkOptions('recallTool', { compactor }, { compactor: option.having('recall') })
  const named = { name: RECALL_NAME, description: RECALL_DESCRIPTION, parameters: RECALL_INPUT }
  return {
    chatTool: { type: 'function' as const, function: named },
    responsesTool: { type: 'function' as const, ...named, strict: false },
    run: (input: unknown) =>
      runRecall(compactor, typeof input === 'string' ? parsed(input) : input),
  }
}

/** The arguments of a call; invalid JSON is used as search words. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return { query: text }
  }
}
