// `precis/anthropic`: makes messages fit, on the caller's own client of Anthropic's SDK.
import type { Compactor, CompactorOptions } from '../compactor/compactor-interface.ts'
import * as option from '../core/options.ts'
import type { ModelPort } from '../core/ports.ts'
import { compactorFor, requireClient } from './compactor-for.ts'
import { fittingClient, type SendingClient } from './fitting-client.ts'
import { MAX_OUTPUT_TOKENS, plainPrompt, readStopReason } from './prompt-text.ts'
import { RECALL_DESCRIPTION, RECALL_INPUT, RECALL_NAME, runRecall } from './recall-tool.ts'

type Create = (body: never, options?: never) => unknown

/** The used part of `new Anthropic()`. */
export interface AnthropicClient {
  readonly messages: { readonly create: Create }
}

export type AnthropicOptions = Omit<CompactorOptions, 'format'>

/** A model for summaries on your client: `model` of `compact` and `createCompactor`. */
export function anthropicModel(
  client: AnthropicClient,
  options: { readonly model: string },
): ModelPort {
  requireClient('anthropicModel', client, ['messages.create'])
  option.checkOptions('anthropicModel', options, { model: option.text })
  const { model } = options
  return {
    async ask(request) {
      const { system, messages } = plainPrompt(request)
      const body = {
        model,
        max_tokens: request.maxOutputTokens ?? MAX_OUTPUT_TOKENS,
        messages,
        ...(system !== '' && { system }),
      }
      const answer = (await client.messages.create(body as never, withSignal(request.signal))) as {
        readonly content: readonly { readonly type: string; readonly text?: string }[]
        readonly stop_reason?: string | null
      }
      const texts = answer.content.map(({ type, text }) => (type === 'text' ? text : '') ?? '')
      return { text: texts.join(''), stopReason: readStopReason(answer.stop_reason) }
    },
  }
}

/**
 * A client like yours whose `messages` and `beta.messages` send messages that fit: `create`, `stream`, `parse` and
 * `toolRunner`, also after `withOptions`. Pass the whole history each time; the prefix stays stable between
 * compactions.
 */
export function withCompaction<C extends AnthropicClient & SendingClient>(
  client: C,
  options: AnthropicOptions | Compactor<object>,
): C & { readonly compactor: Compactor<object> } {
  requireClient('withCompaction', client, ['messages.create', 'post', 'withOptions'])
  const compactor = compactorFor('withCompaction', options, 'anthropic')
  const routes = [{ path: '/v1/messages', field: 'messages', compactor }] as const
  const refused = { '/v1/messages/batches': 'messages.batches.create' }
  return fittingClient(client, routes, { compactor }, refused)
}

/** The tool `recall` for `tools`, and its handler. Create the compactor with `refs: true`. */
export function recallTool(compactor: Pick<Compactor<never>, 'recall'>) {
  option.checkOptions('recallTool', { compactor }, { compactor: option.having('recall') })
  return {
    tool: { name: RECALL_NAME, description: RECALL_DESCRIPTION, input_schema: RECALL_INPUT },
    run: (input: unknown) => runRecall(compactor, input),
  }
}

function withSignal(signal: unknown): never {
  return (signal === undefined ? undefined : { signal }) as never
}
