// The characters of model end to end: automatic compaction, /compact, and the server, over the real SDK.
import { describe, expect, it } from 'vitest'
import { runsIn } from '../agent/past.ts'
import { type AgentSetup, setUpAgent } from '../agent/setup.ts'
import { user } from '../say.ts'
import { inTurn } from '../scale.ts'
import { setUpApp } from '../server/setup.ts'
import { CHARACTERS } from './characters.ts'
import { plantedDrafts, scriptOf } from './doors.ts'
import { REQUEST } from './planted.ts'

const WINDOW = 16_000
const NAMED = CHARACTERS.map((character, at) => [character.name, character, at] as const)
/** Empty answers leave a new session unmade (FRESH-16). */
const SILENT: ReadonlySet<string> = new Set(['empty', 'calls tools'])

async function planted(preset: string, windows: number): Promise<AgentSetup> {
  const setup = await setUpAgent({ preset: preset as 'log', windowTokens: WINDOW })
  await setup.threads.import(setup.threadId, plantedDrafts(windows * WINDOW).drafts)
  return setup
}

async function sent({ threads }: Pick<AgentSetup, 'threads'>, threadId: string): Promise<string> {
  const { messages } = await threads.messages(threadId)
  return messages
    .flatMap(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')))
    .join('\n')
}

describe('automatic compaction', () => {
  it.each(NAMED)(
    'with a model that is «%s»: the request is answered, after two compactions at most',
    async (name, character, at) => {
      for (const preset of inTurn(['range', 'whole', 'fold', 'log'], at)) {
        const setup = await planted(preset, 0.95)
        const { agent, dev, threadId, frames } = setup
        dev.script(scriptOf(character))
        const outcome = await agent.sendMessage(threadId, REQUEST)
        const what = `${name}, ${preset}`
        expect(outcome, what).toMatchObject({ status: 'done', text: 'Renamed.' })
        expect(runsIn(frames).length, what).toBeLessThanOrEqual(2)
        expect(await sent(setup, threadId), what).toContain(REQUEST)
        await agent.close()
      }
    },
  )
})

describe('/compact', () => {
  it.each(NAMED)(
    'with a model that is «%s»: the request stays, and no success is told that is none',
    async (name, character, at) => {
      for (const preset of inTurn(['range', 'whole', 'fold', 'log', 'fresh'], at)) {
        const setup = await planted(preset, 0.5)
        const { agent, dev, threads, threadId } = setup
        await threads.append(threadId, [user(REQUEST)])
        const before = await sent(setup, threadId)
        dev.script(scriptOf(character))
        const outcome = await agent.sendMessage(threadId, '/compact')
        if (outcome.status !== 'command') throw new Error(outcome.status)
        const { ok, text, compaction } = outcome.reply
        const what = `${name}, ${preset}: ${text}`
        expect(await sent(setup, compaction?.fresh?.threadId ?? threadId), what).toContain(REQUEST)
        if (!ok) expect(await sent(setup, threadId), what).toBe(before)
        if (preset === 'fresh' && SILENT.has(name)) expect(text, what).toMatch(/^Compact failed: /)
        const { before: was, after: is } = compaction ?? {}
        const isSmaller = ok && (is?.tokens ?? 0) < (was?.tokens ?? 0)
        expect(text.includes('✅') && !isSmaller, what).toBe(false)
        await agent.close()
      }
    },
  )
})

describe('the server', () => {
  it.each(
    NAMED.filter(([name]) => ['terse', 'stops early', 'empty', 'calls tools'].includes(name)),
  )('with a model that is «%s» keeps the request, and tells the same', async (name, character) => {
    const { client, home, dev } = await setUpApp({ windowTokens: WINDOW })
    for (const preset of ['log', 'fresh']) {
      const { threadId } = await client.createThread({ preset })
      const { drafts } = plantedDrafts(0.5 * WINDOW)
      await home.threads.import(threadId, [...drafts, user(REQUEST)])
      dev.script(scriptOf(character))
      const { ok, text, compaction } = await client.compact(threadId)
      const what = `${name}, ${preset}: ${text}`
      const context = await sent(home, compaction?.fresh?.threadId ?? threadId)
      expect(context, what).toContain(REQUEST)
      if (preset === 'fresh') expect(ok, what).toBe(!SILENT.has(name))
      expect(text.includes('✅') && compaction?.strategy !== 'ai-summarize', what).toBe(false)
    }
  })
})
