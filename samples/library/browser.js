// A browser: the same call, bundled.
import { compact, estimateTokens } from 'precis'

const messages = Array.from({ length: 100 }, (_, n) => ({ role: 'user', content: `${n} `.repeat(100) }))
console.log(compact(messages, { budget: 4_000 }).changed, estimateTokens('Hello, world!'))
