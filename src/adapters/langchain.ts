// `precis/langchain`: messages of LangChain that fit, and a middleware for `createAgent`
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { compact } from '../compactor/compact.ts'
import type { Compacted, CompactOptions, CompactWithModel } from '../compactor/compact-interface.ts'
import { createCompactor } from '../compactor/compactor.ts'
import type { Compactor, CompactorOptions } from '../compactor/compactor-interface.ts'
import type { UsageLike } from '../compactor/usage-like.ts'
import { provideClasses } from '../messages/langchain.ts'

export type LangChainOptions = Omit<CompactorOptions, 'format'>

/** `compact` for messages of LangChain: new ones are of LangChain's own classes, whatever is in the array. */
export function compactMessages(
  messages: readonly BaseMessage[],
  options: CompactWithModel<BaseMessage>,
): Promise<Compacted<BaseMessage>>
export function compactMessages(
  messages: readonly BaseMessage[],
  options: CompactOptions<BaseMessage>,
): Compacted<BaseMessage>
export function compactMessages(
  messages: readonly BaseMessage[],
  options: CompactOptions<BaseMessage>,
): Compacted<BaseMessage> | Promise<Compacted<BaseMessage>> {
  provideClasses({ human: HumanMessage, ai: AIMessage })
  return compact(messages, { ...options, format: 'langchain' })
}

interface ModelCall {
  readonly messages: BaseMessage[]
}

/**
 * For `createAgent({ middleware: [compactionMiddleware({ windowTokens })] })`. Each call of the model gets messages
 * that fit; the state of the agent keeps the whole conversation.
 */
export function compactionMiddleware(options: LangChainOptions | Compactor<BaseMessage>) {
  provideClasses({ human: HumanMessage, ai: AIMessage })
  const compactor: Compactor<BaseMessage> =
    'fit' in options ? options : createCompactor({ ...options, format: 'langchain' })
  return {
    name: 'PrecisCompaction',
    async wrapModelCall<R extends ModelCall, A>(
      request: R,
      handler: (request: R) => A | Promise<A>,
    ): Promise<A> {
      const last = request.messages.findLast((message) => message.getType() === 'ai')
      const usage = (last as AIMessage | undefined)?.usage_metadata
      const { messages } = await compactor.fit(request.messages, usage as UsageLike | undefined)
      return handler({ ...request, messages })
    },
  }
}
