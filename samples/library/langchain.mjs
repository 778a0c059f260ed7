// LangChain: an agent whose calls of the model fit. Its state keeps every message.
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { FakeListChatModel } from '@langchain/core/utils/testing'
import { createAgent } from 'langchain'
import { compactionMiddleware } from 'precis/langchain'
import { createCompactor } from 'precis'

const compactor = createCompactor({ windowTokens: 10_000 })
const model = new FakeListChatModel({ responses: ['Done.'] })
const agent = createAgent({ model, tools: [], middleware: [compactionMiddleware(compactor)] })
const history = Array.from({ length: 301 }, (_, n) => new (n % 2 ? AIMessage : HumanMessage)(`${n} `.repeat(100)))
const { messages } = await agent.invoke({ messages: history })
console.log(compactor.reading().tokens < 10_000, messages.length)
