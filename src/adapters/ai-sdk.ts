// `precis/ai-sdk`: a `prepareStep` for agents of the AI SDK, and a middleware for `wrapLanguageModel`.
import type { Compactor, CompactorOptions } from '../compactor/compactor-interface.ts'
import type { UsageLike } from '../compactor/usage-like.ts'
import { compactorFor, countedIn, UsageBook } from './compactor-for.ts'

export type AiSdkOptions = Omit<CompactorOptions, 'format'>

interface Step<M> {
  readonly messages: M[]
  readonly steps?: readonly { readonly usage?: object | undefined }[]
}

/** For `generateText`, `streamText` and agents: `prepareStep: prepareStep({ windowTokens })`. */
export function prepareStep(
  options: AiSdkOptions | Compactor<object>,
): <M extends object>(step: Step<M>) => Promise<{ messages: M[] }> {
  const compactor = compactorFor('prepareStep', options, 'ai-sdk')
  return async <M extends object>({ messages, steps }: Step<M>) => {
    const usage = countedIn(steps?.at(-1)?.usage)
    const fitted = await compactor.fit(messages, usage)
    return { messages: fitted.messages as M[] }
  }
}

interface Params {
  prompt: object[]
}

type Call<Name extends string, R> = Readonly<Record<Name, () => PromiseLike<R>>> & {
  readonly params: object
}

/** For `wrapLanguageModel({ model, middleware })`: every request of the model fits. */
export function compactionMiddleware(options: AiSdkOptions | Compactor<object>) {
  const compactor = compactorFor('compactionMiddleware', options, 'ai-sdk')
  const book = new UsageBook()
  const given = new WeakMap<object, object[]>() // keyed by the params that were sent
  const note = (params: object, usage: unknown) => {
    const { prompt } = params as Params
    book.note(usage, prompt, given.get(params) ?? prompt)
  }
  return {
    specificationVersion: 'v4' as const,
    async transformParams<P extends object>({ params }: { params: P }): Promise<P> {
      const { prompt } = params as P & Params
      const fitted = await compactor.fit(prompt, book.take(prompt))
      const sent = fitted.messages === prompt ? params : { ...params, prompt: fitted.messages }
      given.set(sent, prompt)
      return sent
    },
    async wrapGenerate<R extends object>({
      doGenerate,
      params,
    }: Call<'doGenerate', R>): Promise<R> {
      const result = await doGenerate()
      note(params, (result as { usage?: UsageLike }).usage)
      return result
    },
    async wrapStream<R extends object>({ doStream, params }: Call<'doStream', R>): Promise<R> {
      const result = await doStream()
      const { stream } = result as R & { stream: ReadableStream<{ type: string }> }
      const watching = new TransformStream<{ type: string }, { type: string }>({
        transform(part, controller) {
          if (part.type === 'finish') note(params, (part as { usage?: UsageLike }).usage)
          controller.enqueue(part)
        },
      })
      return { ...result, stream: stream.pipeThrough(watching) }
    },
  }
}
