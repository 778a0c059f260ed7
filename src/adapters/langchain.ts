// `precis/langchain`: makes LangChain messages fit, and a middleware for `createAgent`.
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import type { Compacted, CompactOptions, CompactWithModel } from '../compactor/compact-messages.ts'
import { compactMessages as compactWith } from '../compactor/compact-messages.ts'
import type { Compactor, CompactorOptions } from '../compactor/compactor-interface.ts'
import { KIT } from '../compactor/kit.ts'
import * as option from '../core/options.ts'
import { provideClasses } from '../messages/langchain.ts'
import { compactorFor, countedIn } from './compactor-for.ts'

export type LangChainOptions = Omit<CompactorOptions, 'format'>

/** `compact` for LangChain messages: new ones have LangChain's classes. */
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
  const { format = 'langchain' } = Object(options)
  option.checkOptions('compactMessages', { format }, { format: option.oneOf('langchain') })
  return compactWith(
    messages,
    Array.isArray(options) || Object(options) !== options ? options : { ...options, format },
    KIT,
    'compactMessages',
  )
}

interface ModelCall {
  readonly messages: BaseMessage[]
}

/**
 * For `createAgent({ middleware: [compactionMiddleware({ windowTokens })] })`. Each model call gets messages
 * that fit; the agent's state keeps the whole conversation.
 */
export function compactionMiddleware(options: LangChainOptions | Compactor<BaseMessage>) {
  provideClasses({ human: HumanMessage, ai: AIMessage })
  const compactor = compactorFor('compactionMiddleware', options, 'langchain')
  return {
    name: 'PrecisCompaction',
    async wrapModelCall<R extends ModelCall, A>(
      request: R,
      handler: (request: R) => A | Promise<A>,
    ): Promise<A> {
      const last = request.messages.findLast((message) => message.getType() === 'ai')
      const usage = (last as AIMessage | undefined)?.usage_metadata
      const { messages } = await compactor.fit(request.messages, countedIn(usage))
      return handler({ ...request, messages })
    },
  }
}
