// Odd answers to a request for a summary, through the agent: the request stands once, and the words say what happened.
import { describe, expect, it } from 'vitest'
import { setUpAgent } from '../agent/setup.ts'
import { user } from '../say.ts'
import type { Character } from './characters.ts'
import { plantedDrafts, summaryOf } from './doors.ts'
import { REQUEST } from './planted.ts'

const WINDOW = 16_000

function saying(text: string): Character {
  return {
    name: text.slice(0, 20),
    summary: () => text,
    script: () => `file /summary.md\ninsert_after <<END_OF_TEXT\n${text}\nEND_OF_TEXT`,
  }
}

async function compacted(preset: 'range' | 'whole' | 'fold' | 'log' | 'fresh', text: string) {
  const setup = await setUpAgent({ preset, windowTokens: WINDOW, outputTokens: 1_500 })
  const { drafts } = plantedDrafts(0.4 * WINDOW)
  await setup.threads.import(setup.threadId, [...drafts, user(REQUEST)])
  setup.dev.script((asked) => summaryOf(saying(text), asked))
  const outcome = await setup.agent.sendMessage(setup.threadId, '/compact')
  if (outcome.status !== 'command') throw new Error(outcome.status)
  const { reply } = outcome
  const { messages } = await setup.threads.messages(
    reply.compaction?.fresh?.threadId ?? setup.threadId,
  )
  const context = messages
    .flatMap(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')))
    .join('\n')
  return { ...setup, said: reply.text, ok: reply.ok, times: context.split(REQUEST).length - 1 }
}

it('a brief that opens a new session does not repeat the request that its note carries [ALWAYS-23]', async () => {
  const { said, times } = await compacted('fresh', '- they talked')
  expect(said).toContain('Fell back because')
  expect(times).toBe(1)
})

it.each(['fold', 'log', 'fresh'] as const)(
  'the last request alone is no summary, in %s: it is carried anyway',
  async (preset) => {
    const { said, times } = await compacted(preset, REQUEST)
    expect(said).toContain('Fell back because the summary is of no use')
    expect(said).not.toContain('✅')
    expect(times).toBe(1)
  },
)

describe('what an agent is told whose own call', () => {
  it.each(['range', 'whole'] as const)('was cut off, in %s', async (preset) => {
    const { said, ok, dev } = await compacted(preset, 'Step 17 was done in detail. '.repeat(900))
    expect(ok).toBe(false)
    expect(said).toContain('its answer was cut off before its call was complete')
    expect(JSON.stringify(dev.requests.at(-1)?.body)).toContain('Write a shorter summary')
  })

  it.each(['range', 'whole'] as const)('is a refusal in German, in %s', async (preset) => {
    const { said } = await compacted(
      preset,
      'Entschuldigung, bei dieser Anfrage kann ich leider nicht behilflich sein, da sie gegen meine Richtlinien verstößt. Wenn Sie möchten, können wir über etwas anderes sprechen.',
    )
    expect(said).toContain('its call was refused. The summary says nothing')
  })
})

it('a refusal ends with what can be done about it', async () => {
  const { said, ok } = await compacted('fold', 'Es tut mir leid, aber dabei kann ich nicht helfen.')
  expect(ok).toBe(false)
  expect(said).toMatch(/refused to write the summary\.\n.*Try again/)
})

it.each(['whole', 'fold', 'log', 'fresh'] as const)(
  'a provider that wants a pause for a summary: the wait is shown, in %s',
  async (preset) => {
    const setup = await setUpAgent({ preset, windowTokens: WINDOW })
    const { drafts } = plantedDrafts(0.4 * WINDOW)
    await setup.threads.import(setup.threadId, [...drafts, user(REQUEST)])
    setup.dev.fail({ kind: 'overloaded' })
    await setup.agent.sendMessage(setup.threadId, '/compact')
    expect(setup.frames).toContainEqual(
      expect.objectContaining({ type: 'model-retry', attempt: 2, threadId: setup.threadId }),
    )
  },
)
