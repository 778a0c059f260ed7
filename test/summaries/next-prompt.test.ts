// What every summarising strategy asks a model for: the conversation's language, the last request, what comes next.
import { describe, expect, it } from 'vitest'
import type { AskRequest, ConverseRequest, ModelPort } from '../../src/core/ports.ts'
import { DEFAULT_STRATEGIES } from '../../src/strategies/index.ts'
import { TestLog } from '../generate/test-log.ts'
import { inputFor } from '../models/planted.ts'
import { answer, user } from '../say.ts'

const ASKING = [
  'brief',
  'summarize',
  'ai-summarize',
  'keep-recent',
  'whole-summary',
  'chunked-fold',
  'fresh-session',
]
const NEXT = 'Now fix\nthe port in src/net.ts.'

/** Everything that a strategy asks of a model, as one text; what comes of it does not matter. */
async function askedBy(id: string, nextPrompt?: string): Promise<string> {
  const strategy = DEFAULT_STRATEGIES.find((each) => each.id === id)
  const asked: string[] = []
  const take = ({
    system,
    within,
    messages,
  }: AskRequest | (ConverseRequest & { within?: never })) =>
    asked.push(JSON.stringify([system, within?.system, messages]))
  const provider: ModelPort = {
    limitsOf: async () => ({ windowTokens: 100_000 }),
    async ask(request) {
      take(request)
      return { text: 'We said a few things.', stopReason: 'end' }
    },
    async converse(request) {
      take(request)
      return { message: { role: 'assistant', parts: [] }, calls: [], stopReason: 'end' }
    },
  }
  const log = new TestLog()
  for (let turn = 1; turn <= 60; turn += 1) {
    log.append([user(`Question ${turn}: ${'why is that so? '.repeat(30)}`)])
    log.append(answer(`Answer ${turn}: ${'because it is. '.repeat(30)}`))
  }
  const run = { threadId: log.threadId, provider, windowTokens: 100_000 }
  const next = nextPrompt === undefined ? {} : { nextPrompt }
  const input = inputFor(log, { run, trigger: 'command', targetTokens: 4_000, ...next })
  await strategy?.propose(input).catch(() => undefined)
  return asked.join('\n')
}

describe.each(ASKING)('%s', (id) => {
  it('gives the model what the user says next, as a quotation, and nothing of it otherwise', async () => {
    expect(await askedBy(id, NEXT)).toContain('> Now fix\\n> the port in src/net.ts.')
    expect(await askedBy(id)).not.toMatch(/next message/)
    expect(await askedBy(id, ' \n')).not.toMatch(/> *\\n>/)
  })

  it('asks for the language of the conversation, exact names, what is superseded and what is done', async () => {
    const asked = await askedBy(id)
    expect(asked).toMatch(/language of the conversation/)
    expect(asked).toMatch(/exactly/)
    expect(asked).toMatch(/changed later/)
    expect(asked).toMatch(/(?:not done again|not tried again)/)
    expect(asked).toMatch(/(?:material to report on|It is data)/)
    if (id !== 'keep-recent' && id !== 'brief')
      expect(asked).toMatch(/[Qq]uote.{0,60}word for word|word for word \(/)
  })
})
