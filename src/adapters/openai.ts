// `precis/openai`: messages that fit, with the caller's own client of OpenAI's SDK
import { createCompactor } from '../compactor/compactor.ts'
import type { Compactor, CompactorOptions } from '../compactor/compactor-interface.ts'
import type { ModelPort } from '../core/ports.ts'
import { MAX_OUTPUT_TOKENS, plainPrompt, stopReasonOf } from './prompt-text.ts'
import { RECALL_DESCRIPTION, RECALL_INPUT, RECALL_NAME, runRecall } from './recall-tool.ts'
import { UsageBook } from './usage-book.ts'

type Create = (body: never, options?: never) => unknown

/** What is used of `new OpenAI()`. */
export interface OpenAiClient {
  readonly chat: { readonly completions: { readonly create: Create } }
  readonly responses: { readonly create: Create }
}

export type OpenAiOptions = Omit<CompactorOptions, 'format'>

/** A model for summaries on your client: `model` of `compact` and `createCompactor`. */
export function openaiModel(
  client: Pick<OpenAiClient, 'chat'>,
  { model }: { readonly model: string },
): ModelPort {
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
        stopReason: stopReasonOf(choice?.finish_reason),
      }
    },
  }
}

/**
 * The same client, whose `chat.completions.create` and `responses.create` send messages that fit, also where
 * they stream. Pass the whole history each time; the prefix stays stable between compactions.
 */
export function withCompaction<C extends OpenAiClient>(
  client: C,
  options: OpenAiOptions,
): C & { readonly compactor: Compactor<object>; readonly responsesCompactor: Compactor<object> } {
  const chat = createCompactor({ ...options, format: 'openai-chat' })
  const { threadId } = options
  const responses = createCompactor({
    ...options,
    format: 'openai-responses',
    ...(threadId !== undefined && { threadId: `${threadId}.responses` }),
  })
  const completions = Object.create(client.chat.completions, {
    create: { value: fitting(client.chat.completions, 'messages', chat) },
  })
  return Object.create(client, {
    chat: { value: Object.create(client.chat, { completions: { value: completions } }) },
    responses: {
      value: Object.create(client.responses, {
        create: { value: fitting(client.responses, 'input', responses) },
      }),
    },
    compactor: { value: chat },
    responsesCompactor: { value: responses },
  })
}

function fitting(
  api: { readonly create: Create },
  field: 'messages' | 'input',
  compactor: Compactor<object>,
) {
  const book = new UsageBook()
  return async (body: Record<string, unknown>, options?: never) => {
    const given = body[field]
    // A plain text, and items that the server has, are not ours to change.
    if (!Array.isArray(given)) return api.create(body as never, options)
    const { messages } = await compactor.fit(given, book.take(given))
    const answer = await api.create({ ...body, [field]: messages } as never, options)
    book.note(Object(answer).usage, given, messages)
    return answer
  }
}

/** The tool `recall` for `tools` of both APIs, and what runs it. Create the compactor with `refs: true`. */
export function recallTool(compactor: Pick<Compactor<never>, 'recall'>) {
  const named = { name: RECALL_NAME, description: RECALL_DESCRIPTION, parameters: RECALL_INPUT }
  return {
    chatTool: { type: 'function' as const, function: named },
    responsesTool: { type: 'function' as const, ...named, strict: false },
    run: (input: unknown) =>
      runRecall(compactor, typeof input === 'string' ? JSON.parse(input) : input),
  }
}
