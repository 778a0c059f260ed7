// `precis/mastra`: a processor for agents of Mastra
import { createCompactor } from '../compactor/compactor.ts'
import type { Compactor, CompactorOptions } from '../compactor/compactor-interface.ts'
import type { UsageLike } from '../compactor/usage-like.ts'

export type MastraOptions = Omit<CompactorOptions, 'format'>

interface Request<P> {
  readonly prompt: P
  readonly steps?: readonly { readonly usage?: object | undefined }[]
}

/**
 * For `new Agent({ inputProcessors: [compactionProcessor({ windowTokens })] })`. Each request of the model fits; what
 * Mastra remembers stays whole.
 */
export function compactionProcessor(options: MastraOptions | Compactor<object>) {
  const compactor = 'fit' in options ? options : createCompactor({ ...options, format: 'ai-sdk' })
  return {
    id: 'precis-compaction' as const,
    name: 'précis compaction',
    async processLLMRequest<P extends object[]>({
      prompt,
      steps,
    }: Request<P>): Promise<{ prompt: P }> {
      const usage = steps?.at(-1)?.usage as UsageLike | undefined
      const { messages } = await compactor.fit(prompt, usage)
      return { prompt: messages as P }
    },
  }
}
