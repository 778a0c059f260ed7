// Anthropic: the history of a conversation, made to fit before it is sent.
import Anthropic from '@anthropic-ai/sdk'
import { compact } from 'precis'

const history = Array.from({ length: 300 }, (_, n) => ({ role: n % 2 ? 'assistant' : 'user', content: `${n} `.repeat(100) }))
const { messages } = compact([...history, { role: 'user', content: 'Go on.' }], { budget: 8_000 })
const answer = await new Anthropic().messages.create({ model: 'claude-opus-5-5', max_tokens: 500, messages })
console.log(messages.length < 100, answer.role)
