// A loop of your own: pins, what the provider counted, undo, recall.
import { createCompactor } from 'precis'

const compactor = createCompactor({ windowTokens: 10_000, at: 0.8, target: 0.5 })
compactor.pin('Never edit package-lock.json.')
const messages = [{ role: 'user', content: 'Repair the build.' }]
let usage
for (let step = 1; step <= 60; step += 1) {
  const fitted = await compactor.fit(messages, usage)
  const answer = await askModel(fitted.messages)
  usage = answer.usage
  messages.push(answer.message, { role: 'user', content: `${step}: ${'it still fails '.repeat(80)}` })
}
console.log(compactor.reading().by, compactor.undo().length > 20, compactor.recall('7: it still').includes('ref:'))

async function askModel(sent) {
  const tokens = Math.round(JSON.stringify(sent).length / 4)
  return { message: { role: 'assistant', content: 'I try again.' }, usage: { input_tokens: tokens, output_tokens: 5 } }
}
