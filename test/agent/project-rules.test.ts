// The rules of a project: system prompts are in no edit's reach, and hooks say rules again after a compaction.
import { expect, it } from 'vitest'
import { system, user } from '../say.ts'
import { longPast } from './past.ts'
import { lastMessages, setUpAgent } from './setup.ts'

const PROMPT = 'You are careful.'
const RULES = 'Rules of the project: never push to main. Ask before you delete.'
const REMINDER = 'AGENTS.md: run the linter before you say that you are done.'
const PINNED = 'AGENTS.md, section 2: tests first.'

it.each(['extract', 'cascade', 'keep-recent'])(
  'stay as they are under %s, whatever else goes [NEED-04]',
  async (strategy) => {
    const setup = await setUpAgent({
      preset: 'precis',
      windowTokens: 40_000,
      agent: { reminder: () => REMINDER, hooks: [{ before: () => ({ pins: [PINNED] }) }] },
    })
    const { agent, dev, threads, threadId, events, eventsOf } = setup
    await threads.append(threadId, [system(PROMPT), { type: 'USER_SYSTEM_PROMPT', data: RULES }])
    dev.script(() => ({ text: 'Done. ## Goal\nGo on.' }))
    const requests: unknown[] = []
    for (let round = 1; round <= 3; round += 1) {
      await threads.import(threadId, [user(`Task ${round}.`), ...longPast(6_000, `round${round}`)])
      await agent.sendMessage(threadId, `Go on with ${round}.`)
      expect(await agent.compact(threadId, { strategy })).toMatchObject({ success: true })
      await agent.sendMessage(threadId, `And after ${round}?`)
      requests.push(Object(dev.requests.at(-1)?.body).system)
      // Said again behind what the user says, and pinned by the hook: each once, to the byte.
      const said = lastMessages(dev).map(({ text }) => text)
      expect(said.at(-1)).toContain(REMINDER)
      expect(said.join('\n').split(PINNED)).toHaveLength(2)
    }
    const told = JSON.stringify(requests[0])
    for (const text of [PROMPT, RULES]) expect(told.split(text)).toHaveLength(2)
    expect(requests.map((each) => JSON.stringify(each))).toEqual([told, told, told])
    // No edit covers them, nor takes up their words.
    const rules = (await events()).filter(({ type }) => /SYSTEM_PROMPT$/.test(type))
    expect(rules.length).toBeGreaterThanOrEqual(2)
    const edits = JSON.stringify((await eventsOf('COMPACTION')).map(({ data }) => data.edits))
    for (const { seq } of rules) expect(edits).not.toContain(`"e${seq}"`)
    expect(edits).not.toContain(RULES)
    for (const { seq } of rules)
      expect((await threads.context(threadId)).items.toArray().map(({ id }) => id)).not.toContain(
        `e${seq}`,
      )
  },
)
