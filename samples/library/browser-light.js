// A browser: a smaller bundle, with a shorter ladder of strategies.
import { compact } from 'precis/light'

const messages = Array.from({ length: 100 }, (_, n) => ({ role: 'user', content: `${n} `.repeat(100) }))
console.log(compact(messages, { budget: 4_000 }).changed)
