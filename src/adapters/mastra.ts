// `precis/mastra`: a processor for agents of Mastra.
import type { Compactor, CompactorOptions } from '../compactor/compactor-interface.ts'
import { compactorFor, countedIn } from './compactor-for.ts'

export type MastraOptions = Omit<CompactorOptions, 'format'>

interface Request<P> {
  readonly prompt: P
  readonly steps?: readonly { readonly usage?: object | undefined }[]
}

/**
 * For `new Agent({ inputProcessors: [compactionProcessor({ windowTokens })] })`. Each request fits; Mastra's
 * memory stays complete.
 */
export function compactionProcessor(options: MastraOptions | Compactor<object>) {
  const compactor = compactorFor('compactionProcessor', options, 'ai-sdk')
  return {
    id: 'precis-compaction' as const,
    name: 'précis compaction',
    async processLLMRequest<P extends object[]>({
      prompt,
      steps,
    }: Request<P>): Promise<{ prompt: P }> {
      const usage = countedIn(steps?.at(-1)?.usage)
      const { messages } = await compactor.fit(prompt, usage)
      return { prompt: messages as P }
    },
  }
}
