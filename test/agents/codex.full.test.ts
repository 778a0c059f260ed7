// précis installed in the real Codex: its own compactions keep what the user said, and uninstall leaves no trace.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { requirement } from '../require.ts'
import { AGENTS } from './agents.ts'
import { trustHooks } from './codex-server.ts'
import { CountedTask, World } from './world.ts'

const { available, notice } = requirement('agents')
const TIMEOUT_MS = 900_000
const RULE = 'Never push to the main branch.'
/** Codex keeps the last 20,000 tokens of what the user typed; this is more. */
const PASTED = Array.from({ length: 3_000 }, (_, at) => `2026-01-01 12:00:00 row ${at} was read`)
const ROUNDS = 11
/** Below what one round takes, so that Codex compacts after each. */
const LIMIT = 9_000
const SAID = 'précis kept what must not be lost'

async function open(): Promise<{ world: World; task: CountedTask }> {
  const agent = AGENTS.find(({ name }) => name === 'codex')
  if (!agent) throw new Error('there is no such agent')
  const task = new CountedTask()
  const world = await World.open(agent, { answer: task.answer })
  onTestFinished(() => world.close())
  return { world, task }
}

interface Worked {
  /** The requests, as texts. */
  readonly sent: readonly string[]
  readonly compactions: number
}

/** The rule is said in an early prompt, and much is pasted behind it. */
async function longTask({ world, task }: { world: World; task: CountedTask }): Promise<Worked> {
  const { agent } = world
  await world.sends(agent.start(`${RULE} Read the rows.`))
  task.left = ROUNDS
  const limit = ['-c', `model_auto_compact_token_limit=${LIMIT}`]
  const prompt = `Here they are.\n${PASTED.join('\n')}`
  const asked = await world.sends([...limit, ...agent.resume(agent.recorded(world), prompt)])
  const rollout = readFileSync(agent.recorded(world).target, 'utf8')
  const compactions = rollout.split('\n').filter((line) => /"type":"compacted"/.test(line)).length
  return { sent: asked.map((each) => JSON.stringify(each)), compactions }
}

const withRule = (sent: readonly string[]) => sent.filter((each) => each.includes(RULE)).length

describe.skipIf(!available)(`Codex with précis ${notice}`, () => {
  it(
    'has the constraints of the user behind each of ten compactions, and alone it has not',
    async () => {
      const { world, task } = await open()
      const file = (name: string) => join(world.home, '.codex', name)
      const before = readFileSync(file('config.toml'), 'utf8')
      expect((await world.precis(['install', 'codex'])).status).toBe(0)
      const hooks = await trustHooks(world)
      expect(hooks.map(({ eventName, trustStatus }) => `${eventName} ${trustStatus}`)).toEqual([
        'preCompact untrusted',
        'sessionStart untrusted',
        'sessionEnd untrusted',
      ])
      const { sent, compactions } = await longTask({ world, task })
      expect(compactions).toBeGreaterThanOrEqual(10)
      expect(withRule(sent)).toBe(sent.length)
      expect(sent.at(-1)).toContain(SAID)
      const { stdout } = await world.precis(['doctor'])
      expect(stdout).toContain('codex: installed')
      expect(stdout).toMatch(/✓ hooks +no failures/)
      // The hook at the end of the session has synced it; what Codex writes behind its own hook is the tail.
      expect((await world.precis(['sync'])).stdout).toMatch(
        /^1 session: 0 new, [01] grown, 0 rewritten/,
      )
      expect((await world.precis(['sync'])).stdout).toMatch(/1 unchanged\. 0 events added/)
      // Two prompts later it is still a session that Codex opens.
      const next = await world.sends(agentResume(world, 'Is anything left?'))
      expect(JSON.stringify(next[0])).toContain(RULE)

      expect((await world.precis(['uninstall', 'codex'])).status).toBe(0)
      expect(readFileSync(file('config.toml'), 'utf8')).toBe(before)
      expect(existsSync(file('hooks.json'))).toBe(false)

      const alone = await longTask(await open())
      expect(alone.compactions).toBe(compactions)
      expect(withRule(alone.sent)).toBeLessThan(alone.sent.length / 2)
    },
    TIMEOUT_MS,
  )

  it(
    'runs no hook that the user has not trusted, unless it is started so',
    async () => {
      const { world, task } = await open()
      expect((await world.precis(['install', 'codex'])).status).toBe(0)
      const asked = async (...more: readonly string[]) => {
        task.left = 2
        const limit = ['-c', `model_auto_compact_token_limit=${LIMIT}`]
        const [exec, ...rest] = world.agent.start(`${RULE} Read the rows.\n${PASTED.join('\n')}`)
        const sent = await world.sends([...limit, exec ?? '', ...more, ...rest])
        return JSON.stringify(sent.at(-1))
      }
      expect(await asked()).not.toContain(SAID)
      expect(await asked('--dangerously-bypass-hook-trust')).toContain(SAID)
    },
    TIMEOUT_MS,
  )
})

function agentResume(world: World, prompt: string): readonly string[] {
  return world.agent.resume(world.agent.recorded(world), prompt)
}
