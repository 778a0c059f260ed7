// `precis/anthropic`: messages that fit, with the caller's own client of Anthropic's SDK
import { createCompactor } from '../compactor/compactor.ts'
import type { Compactor, CompactorOptions } from '../compactor/compactor-interface.ts'
import type { ModelPort } from '../core/ports.ts'
import { MAX_OUTPUT_TOKENS, plainPrompt, stopReasonOf } from './prompt-text.ts'
import { RECALL_DESCRIPTION, RECALL_INPUT, RECALL_NAME, runRecall } from './recall-tool.ts'
import { UsageBook } from './usage-book.ts'

type Create = (body: never, options?: never) => unknown

/** What is used of `new Anthropic()`. */
export interface AnthropicClient {
  readonly messages: { readonly create: Create; readonly stream: Create }
}

export type AnthropicOptions = Omit<CompactorOptions, 'format'>

/** A model for summaries on your client: `model` of `compact` and `createCompactor`. */
export function anthropicModel(
  client: AnthropicClient,
  { model }: { readonly model: string },
): ModelPort {
  return {
    async ask(request) {
      const { system, messages } = plainPrompt(request)
      const body = {
        model,
        max_tokens: request.maxOutputTokens ?? MAX_OUTPUT_TOKENS,
        messages,
        ...(system !== '' && { system }),
      }
      const answer = (await client.messages.create(body as never, signalOf(request.signal))) as {
        readonly content: readonly { readonly type: string; readonly text?: string }[]
        readonly stop_reason?: string | null
      }
      const texts = answer.content.map(({ type, text }) => (type === 'text' ? text : '') ?? '')
      return { text: texts.join(''), stopReason: stopReasonOf(answer.stop_reason) }
    },
  }
}

/**
 * The same client, whose `messages.create` and `messages.stream` send messages that fit. Pass the whole
 * history each time; the prefix stays stable between compactions.
 */
export function withCompaction<C extends AnthropicClient>(
  client: C,
  options: AnthropicOptions | Compactor<object>,
): C & { readonly compactor: Compactor<object> } {
  const compactor =
    'fit' in options ? options : createCompactor({ ...options, format: 'anthropic' })
  const book = new UsageBook()
  const fitted = async (body: { messages: object[] }) => {
    const given = body.messages
    const { messages } = await compactor.fit(given, book.take(given))
    return {
      body: { ...body, messages } as never,
      note: (answer: unknown) => book.note(Object(answer).usage, given, messages),
    }
  }
  const messages = Object.create(client.messages, {
    create: {
      async value(given: { messages: object[] }, request?: never) {
        const { body, note } = await fitted(given)
        const answer = await client.messages.create(body, request)
        note(answer)
        return answer
      },
    },
    stream: {
      /** A promise of the stream, since the messages have to fit first. */
      async value(given: { messages: object[] }, request?: never) {
        const { body, note } = await fitted(given)
        const stream = client.messages.stream(body, request)
        Object(stream).on?.('finalMessage', note)
        return stream
      },
    },
  })
  return Object.create(client, { messages: { value: messages }, compactor: { value: compactor } })
}

/** The tool `recall` for `tools`, and what runs it. Create the compactor with `refs: true`. */
export function recallTool(compactor: Pick<Compactor<never>, 'recall'>) {
  return {
    tool: { name: RECALL_NAME, description: RECALL_DESCRIPTION, input_schema: RECALL_INPUT },
    run: (input: unknown) => runRecall(compactor, input),
  }
}

function signalOf(signal: unknown): never {
  return (signal === undefined ? undefined : { signal }) as never
}
