// OpenAI: a client whose requests always fit.
import OpenAI from 'openai'
import { withCompaction } from 'precis/openai'

const client = withCompaction(new OpenAI(), { windowTokens: 10_000 })
const messages = Array.from({ length: 301 }, (_, n) => ({ role: n % 2 ? 'assistant' : 'user', content: `${n} `.repeat(100) }))
const { choices } = await client.chat.completions.create({ model: 'gpt-5.5', messages })
console.log(client.compactor.reading().tokens < 10_000, choices[0].message.role)
