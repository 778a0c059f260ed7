// A browser: a smaller bundle, without the search for rules and state.
import { compact } from 'precis/light'

const messages = Array.from({ length: 100 }, (_, n) => ({ role: 'user', content: `${n} `.repeat(100) }))
console.log(compact(messages, { budget: 4_000 }).changed)
