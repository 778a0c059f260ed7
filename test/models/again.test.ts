// Compacted again and again by a model that says little: what stands beside the first summary is not lost with it.
import { expect, it } from 'vitest'
import { setUpAgent } from '../agent/setup.ts'
import { DONE, edit, stageOf } from '../fold/small-agent.ts'
import { answer, result, user } from '../say.ts'

const POOR = [
  'Primary request and intent',
  'Current status',
  'Code changes',
  'Working state',
  'Issues and solutions',
]
  .map((heading) => `## ${heading}\nThey talked at some length about a file and what is in it.`)
  .join('\n')
const FILE = Array.from({ length: 300 }, (_, at) => `row ${at} has nothing that anybody needs`)
const PAST = [
  user('The port is 4321, remember it.'),
  ...answer('Noted.'),
  user('read rows.txt'),
  ...answer('I read it.', 'call1'),
  result('call1', FILE.join('\n')),
  ...answer('It has 300 rows.'),
  user('thanks'),
  ...answer('You are welcome.'),
]

it.each(['chunked-fold', 'summarize', 'whole-summary', 'ai-summarize', 'keep-recent'])(
  '%s three times in a row keeps what the user gave it to remember [ALWAYS-03]',
  async (strategy) => {
    const { agent, dev, threads, threadId } = await setUpAgent()
    await threads.import(threadId, PAST)
    dev.script((asked) => {
      const stage = stageOf(asked)
      if (!stage) return { text: POOR }
      if (stage.round > 0) return DONE
      return edit(`file /summary.md\nselect bof-eof\nreplace <<END\n${POOR}\nEND`)
    })
    for (let time = 1; time <= 3; time += 1) {
      await agent.compact(threadId, { strategy })
      const { messages } = await threads.messages(threadId)
      expect(JSON.stringify(messages), `${strategy}, time ${time}`).toContain('4321')
    }
  },
)
