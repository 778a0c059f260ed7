// `precis/ai-sdk`: a `prepareStep` for agents of the AI SDK, and a middleware for `wrapLanguageModel`
import { createCompactor } from '../compactor/compactor.ts'
import type { Compactor, CompactorOptions } from '../compactor/compactor-interface.ts'
import type { UsageLike } from '../compactor/usage-like.ts'

export type AiSdkOptions = Omit<CompactorOptions, 'format'>

interface Step<M> {
  readonly messages: M[]
  readonly steps?: readonly { readonly usage?: object | undefined }[]
}

/** For `generateText`, `streamText` and agents: `prepareStep: prepareStep({ windowTokens })`. */
export function prepareStep(
  options: AiSdkOptions | Compactor<object>,
): <M extends object>(step: Step<M>) => Promise<{ messages: M[] }> {
  const compactor = compactorOf(options)
  return async <M extends object>({ messages, steps }: Step<M>) => {
    const usage = steps?.at(-1)?.usage as UsageLike | undefined
    const fitted = await compactor.fit(messages, usage)
    return { messages: fitted.messages as M[] }
  }
}

interface Params {
  prompt: object[]
}

/** For `wrapLanguageModel({ model, middleware })`: every request of the model fits. */
export function compactionMiddleware(options: AiSdkOptions | Compactor<object>) {
  const compactor = compactorOf(options)
  let usage: UsageLike | undefined
  return {
    specificationVersion: 'v4' as const,
    async transformParams<P extends object>({ params }: { params: P }): Promise<P> {
      const { prompt } = params as P & Params
      const fitted = await compactor.fit(prompt, usage)
      usage = undefined
      return fitted.messages === prompt ? params : { ...params, prompt: fitted.messages }
    },
    async wrapGenerate<R extends object>({
      doGenerate,
    }: {
      doGenerate: () => PromiseLike<R>
    }): Promise<R> {
      const result = await doGenerate()
      usage = (result as { usage?: UsageLike }).usage
      return result
    },
    async wrapStream<R extends object>({
      doStream,
    }: {
      doStream: () => PromiseLike<R>
    }): Promise<R> {
      const result = await doStream()
      const { stream } = result as R & { stream: ReadableStream<{ type: string }> }
      const watching = new TransformStream<{ type: string }, { type: string }>({
        transform(part, controller) {
          if (part.type === 'finish') usage = (part as { usage?: UsageLike }).usage
          controller.enqueue(part)
        },
      })
      return { ...result, stream: stream.pipeThrough(watching) }
    },
  }
}

function compactorOf(options: AiSdkOptions | Compactor<object>): Compactor<object> {
  return 'fit' in options ? options : createCompactor({ ...options, format: 'ai-sdk' })
}
