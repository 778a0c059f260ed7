// A fact that the compaction of a real agent dropped comes back with one call: `recall`, over MCP or as the tool of the extension.
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Asked } from '../../src/dev-model/asked.ts'
import type { AnswerCall, ScriptedAnswer } from '../../src/dev-model/reply.ts'
import { requirement } from '../require.ts'
import type { Agent, AgentSession } from './agent.ts'
import { AGENTS } from './agents.ts'
import { trustHooks } from './codex-server.ts'
import { narrowModel } from './narrow.ts'
import { shellCall, World } from './world.ts'

const { available, notice } = requirement('agents')
const TIMEOUT_MS = 900_000
const RECALL = /(?:^|_)recall$/
/** One line of three hundred that are alike: no summary and no brief has all of them. */
const FACT = '137 has the key qx-137-zulu'
const WORDS = 'key of berth 137'
const MOST_TRIES = 10

/** The stand-in: long outputs, then one call of `recall` by words. */
class Forgetful {
  #steps = 0
  #hasSaid = false
  #tries = 0

  readonly answer = (asked: Asked): ScriptedAnswer | undefined => {
    if (this.#tries > 0) {
      const tool = asked.tools.find(({ name }) => RECALL.test(name))
      this.#tries = tool ? 0 : this.#tries - 1
      if (tool) return { calls: [{ name: tool.name, arguments: { query: WORDS } }] }
      return { calls: [this.#lookFor(asked)] }
    }
    if (this.#steps === 0) return { text: 'That is done.' }
    this.#steps -= 1
    const keys = `seq 1 300 | sed 's/.*/berth & has the key qx-&-zulu/'`
    const others = `seq 1 300 | sed "s/^/step ${this.#steps}, line /"`
    return { calls: [shellCall(asked, this.#hasSaid ? others : keys)] }
  }

  /** Claude Code offers the tools of a server when they are asked for, or when it is connected. */
  #lookFor(asked: Asked): AnswerCall {
    const search = asked.tools.find(({ name }) => name === 'ToolSearch')
    return search
      ? { name: search.name, arguments: { query: 'select:mcp__precis__recall', max_results: 1 } }
      : shellCall(asked, 'sleep 2')
  }

  work(steps: number, { isFirst = false } = {}): void {
    this.#steps = steps
    this.#hasSaid = !isFirst
  }

  ask(): void {
    this.#tries = MOST_TRIES
  }
}

/** How each host is brought to compact: on a command where it has one, else with a window that fills. */
const COMPACT: Readonly<
  Record<Agent['name'], (world: World, task: Forgetful, session: AgentSession) => Promise<void>>
> = {
  'claude-code': async (world, _, { id }) => {
    await world.run('claude-code', ['-p', '/compact', '--resume', id])
  },
  codex: async (world, task, session) => {
    task.work(2)
    const limit = ['-c', 'model_auto_compact_token_limit=9000']
    await world.sends([...limit, ...world.agent.resume(session, 'Go on.')])
  },
  opencode: filled,
  pi: filled,
}

/** Until the window is full. */
async function filled(world: World, task: Forgetful, session: AgentSession): Promise<void> {
  for (let at = 0; at < 3; at += 1) {
    task.work(6)
    await world.sends(world.agent.resume(session, 'Go on.'))
  }
}

const has = (asked: Asked | undefined) => JSON.stringify(asked?.turns).includes(FACT)

describe.skipIf(!available)(`recall inside the real agents ${notice}`, () => {
  it.each(AGENTS.map((agent) => [agent.name, agent] as const))(
    '%s reads with one call what its compaction dropped',
    async (_, agent) => {
      const task = new Forgetful()
      const world = await World.open(agent, { answer: task.answer })
      onTestFinished(() => world.close())
      narrowModel(agent.name, world.home)
      expect((await world.precis(['install', agent.name])).status).toBe(0)
      if (agent.name === 'codex') await trustHooks(world)
      task.work(2, { isFirst: true })
      const sent = await world.sends(agent.start('Look for the rows.'))
      expect(sent.some(has)).toBe(true)
      const session = agent.recorded(world)
      await COMPACT[agent.name](world, task, session)
      task.ask()
      const resumed = agent.resume(agent.recorded(world), 'What was it?')
      const allowed = (word: string) => (word === 'Bash' ? 'Bash,mcp__precis__recall' : word)
      const asked = await world.sends(resumed.map(allowed))
      expect([asked.slice(0, -1).some(has), has(asked.at(-1))]).toEqual([false, true])
      expect((await world.precis(['doctor'])).stdout).not.toContain('failed:')
    },
    TIMEOUT_MS,
  )
})
