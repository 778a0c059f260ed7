// A strategy of your own: it replaces the oldest half with one line.
import { compact, immediate, runsOf } from 'precis'

const forget = immediate({
  id: 'forget',
  proposeNow({ context, eventAt }) {
    const items = context.items.toArray()
    const covers = runsOf(items.slice(0, items.length / 2), eventAt)
    return { edits: [{ covers, put: [{ type: 'USER_MESSAGE', data: 'Much was said.', label: 'summary' }] }] }
  },
})
const messages = Array.from({ length: 100 }, (_, n) => ({ role: n % 2 ? 'assistant' : 'user', content: `${n} `.repeat(100) }))
const result = compact(messages, { budget: 20_000, strategy: forget })
console.log(result.messages.length, result.messages[0].content)
