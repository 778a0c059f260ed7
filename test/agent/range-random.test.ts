// Random ranges of random threads through the tool: applied in any order or not at all, and always a thread that can be sent.
import { expect, it } from 'vitest'
import type { Message } from '../../src/core/view/message.ts'
import type { ScriptedAnswer } from '../../src/dev-model/index.ts'
import { Random } from '../generate/random.ts'
import { randomReplacements, shuffled, unpaired } from '../generate/ranges.ts'
import { seeds } from '../scale.ts'
import { type AgentSetup, setUpAgent } from './setup.ts'
import { lastResult, REMINDER, type Replacement, rangeCall, violations } from './transcript.ts'

const SEEDS = seeds(2, 2)
const TRIES = 4

it('random ranges are applied as a whole or refused as a whole, in any order, and split no round [RANGE-44, RANGE-49, RANGE-50]', async () => {
  const setup = await setUpAgent({ preset: 'range', agent: { reminder: () => REMINDER } })
  let committed = 0
  for (const seed of SEEDS)
    try {
      const random = new Random(seed)
      let threadId = await randomThread(setup, random)
      for (let attempt = 0; attempt < TRIES; attempt += 1) {
        const tried = await tryRanges(setup, threadId, random)
        if (!tried.committed) continue
        committed += 1
        // The next ranges are of a thread that was compacted before.
        if (random.chance(0.5)) threadId = tried.threadId
      }
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error })
    }
  const all = SEEDS.length * TRIES
  expect(committed).toBeGreaterThan(all / 10)
  expect(committed).toBeLessThan(all)
  expect(violations(setup.dev)).toEqual([])
})

/** Turns with up to three rounds of calls each, with and without thinking. */
async function randomThread({ agent, dev, threads }: AgentSetup, random: Random): Promise<string> {
  const threadId = await threads.create()
  for (let turn = 0; turn < 3; turn += 1) {
    const rounds = Array.from({ length: random.int(0, 3) }, (_, round): ScriptedAnswer => {
      const calls = Array.from({ length: random.int(1, 2) }, () => ({
        name: 'list',
        arguments: {},
      }))
      return { ...(random.chance(0.5) && { thinking: 'hm' }), text: `${turn}.${round}`, calls }
    })
    dev.script([...rounds, { thinking: 'so', text: `answer ${turn}` }])
    await agent.sendMessage(threadId, `question ${turn}`)
  }
  return threadId
}

async function tryRanges(setup: AgentSetup, base: string, random: Random) {
  const { messages: given } = await setup.threads.messages(base)
  const sound = randomReplacements(checkpointsIn(given), random)
  const replacements = random.chance(0.3) ? [...sound, { to: 'zzzzzz', summary: 'S' }] : sound
  const isBeside = random.chance(0.3)
  const one = await compactFork(setup, base, replacements, isBeside)
  const other = await compactFork(setup, base, shuffled(replacements, random), isBeside)
  expect(other.committed).toBe(one.committed)
  for (const { messages, before, open, status } of [one, other]) {
    expect(status).toBe('done')
    expect(open.size).toBe(0)
    expect(unpaired(messages, open)).toEqual([])
    if (!one.committed)
      expect(JSON.stringify(messages.slice(0, before.length))).toBe(JSON.stringify(before))
  }
  if (one.committed) expect(withoutInput(other.messages)).toBe(withoutInput(one.messages))
  else expect((await lastResult(setup, one.threadId))?.status).toBe('failed')
  return one
}

async function compactFork(
  { agent, dev, threads }: AgentSetup,
  base: string,
  replacements: readonly Replacement[],
  isBeside: boolean,
) {
  const threadId = await threads.fork(base)
  let before: readonly Message[] = []
  dev.script([
    async () => {
      before = (await threads.messages(threadId)).messages
      const { calls = [] } = rangeCall(...replacements)
      const beside = { id: 'beside', name: 'list', arguments: {} }
      return { thinking: 'too long', calls: isBeside ? [...calls, beside] : calls }
    },
    { text: 'done' },
  ])
  const { status } = await agent.sendMessage(threadId, 'go')
  const { version } = await threads.context(base)
  const events = await threads.getAllEvents(threadId)
  return {
    threadId,
    status,
    before,
    messages: (await threads.messages(threadId)).messages,
    open: (await threads.context(threadId)).open,
    committed: events.some(({ type, seq }) => type === 'COMPACTION' && seq > version),
  }
}

/** Where the call stays beside another, its own arguments still have the order they had. */
function withoutInput(messages: readonly Message[]): string {
  return JSON.stringify(messages, (key, value: unknown) =>
    key === 'replacements' ? undefined : value,
  )
}

function checkpointsIn(messages: readonly Message[]): string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'checkpoint' ? [part.id] : [])),
  )
}
