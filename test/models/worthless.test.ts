// A summary of no use ends as a fallback in every preset and door: the brief stands in its place, and no success is told.
import { describe, expect, it } from 'vitest'
import type { ScriptedAnswer } from '../../src/dev-model/index.ts'
import { type AgentSetup, setUpAgent } from '../agent/setup.ts'
import { DONE, edit, folding } from '../fold/small-agent.ts'
import { user } from '../say.ts'
import { setUpApp } from '../server/setup.ts'
import { CHARACTERS, ODD_CHARACTERS } from './characters.ts'
import { plantedDrafts, scriptOf } from './doors.ts'
import { REQUEST } from './planted.ts'

const WINDOW = 16_000
const FELL_BACK = /Fell back because .+: a brief by extract took its place\./
const NAMES = ['terse', 'verbose', 'invents', 'obeys the transcript', 'writes a plan', 'asks back']
const POOR = [...CHARACTERS, ...ODD_CHARACTERS].filter(({ name }) => NAMES.includes(name))

async function planted(preset: 'fold' | 'log' | 'fresh' | 'whole' | 'range'): Promise<AgentSetup> {
  const setup = await setUpAgent({ preset, windowTokens: WINDOW })
  const { drafts } = plantedDrafts(0.4 * WINDOW)
  await setup.threads.import(setup.threadId, [...drafts, user(REQUEST)])
  return setup
}

async function textOf({ threads }: Pick<AgentSetup, 'threads'>, threadId: string): Promise<string> {
  const { messages } = await threads.messages(threadId)
  return messages
    .flatMap(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')))
    .join('\n')
}

async function compact({ agent, threadId }: AgentSetup) {
  const outcome = await agent.sendMessage(threadId, '/compact')
  if (outcome.status !== 'command') throw new Error(outcome.status)
  return outcome.reply
}

describe('/compact', () => {
  it.each(POOR.map((one) => [one.name, one] as const))(
    'with a summary by «%s»: says why it fell back, and the brief has the facts',
    async (name, character) => {
      for (const preset of ['fold', 'log', 'fresh'] as const) {
        const setup = await planted(preset)
        setup.dev.script(scriptOf(character))
        const { ok, text, compaction } = await compact(setup)
        const what = `${name}, ${preset}: ${text}`
        expect(ok, what).toBe(true)
        expect(text, what).toMatch(FELL_BACK)
        expect(text, what).not.toContain('✅')
        const left = await textOf(setup, compaction?.fresh?.threadId ?? setup.threadId)
        expect(left, what).toContain(REQUEST)
        expect(left, what).toContain('kestrel-4')
        await setup.agent.close()
      }
    },
  )

  it.each(['- nothing', 'Incorporated everything.'])('folded to «%s»', async (written) => {
    const setup = await planted('fold')
    setup.dev.script(
      folding({
        fold: ({ round }) =>
          round > 0
            ? DONE
            : edit(`file /summary.md\nselect bof-eof\nreplace <<END\n${written}\nEND`),
      }),
    )
    const { text } = await compact(setup)
    expect(text).toMatch(FELL_BACK)
    expect(await textOf(setup, setup.threadId)).not.toContain(written)
  })

  it.each(['range', 'whole'] as const)(
    'an agent that writes one itself is told what it lacks, in %s; nothing is changed',
    async (preset) => {
      const setup = await planted(preset)
      const before = await textOf(setup, setup.threadId)
      const summary = '- they talked'
      const input = preset === 'range' ? { replacements: [{ summary }] } : { summary }
      const answer: ScriptedAnswer = { calls: [{ name: 'compact', arguments: input }] }
      setup.dev.script(() => answer)
      const { ok, text } = await compact(setup)
      expect(ok).toBe(false)
      expect(text).toMatch(/none of \d+ exact names and values, such as \S/)
      expect(JSON.stringify(setup.dev.requests.at(-1)?.body)).toContain('then call compact again')
      expect(await textOf(setup, setup.threadId)).toBe(before)
    },
  )
})

it('the server says the same', async () => {
  const { client, home, dev } = await setUpApp({ windowTokens: WINDOW })
  for (const preset of ['log', 'fresh']) {
    const { threadId } = await client.createThread({ preset })
    await home.threads.import(threadId, plantedDrafts(0.4 * WINDOW).drafts)
    dev.script(() => ({ text: '- nothing' }))
    const { text } = await client.compact(threadId)
    expect(text, preset).toMatch(FELL_BACK)
    expect(text, preset).not.toContain('✅')
  }
})
