// précis installed in the real Claude Code: its own compaction keeps what the user said, and uninstall leaves no trace.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { requirement } from '../require.ts'
import { AGENTS } from './agents.ts'
import { CountedTask, promptFor, World } from './world.ts'

const { available, notice } = requirement('agents')
const TIMEOUT_MS = 600_000
const RULE = 'Never push to the main branch.'
const SETTINGS = '{"cleanupPeriodDays": 90}'

describe.skipIf(!available)(`Claude Code with précis ${notice}`, () => {
  it(
    'has the constraints of the user behind its own compaction',
    async () => {
      const agent = AGENTS.find(({ name }) => name === 'claude-code')
      if (!agent) throw new Error('there is no such agent')
      const world = await World.open(agent)
      onTestFinished(() => world.close())
      mkdirSync(join(world.home, '.claude'))
      const file = join(world.home, '.claude/settings.json')
      writeFileSync(file, SETTINGS)
      expect((await world.precis(['install', agent.name])).status).toBe(0)
      await world.sends(agent.start(`${RULE}\n${promptFor(2, 'the readme')}`))
      const { id } = agent.recorded(world)
      await world.run(agent.name, ['-p', '/compact', '--resume', id])
      const [first] = await world.sends(agent.resume(agent.recorded(world), promptFor(1, 'it')))
      const sent = JSON.stringify(first)
      expect(sent).toContain('précis kept what must not be lost')
      expect(sent).toContain(RULE)
      const { stdout } = await world.precis(['doctor'])
      expect(stdout).toContain('claude-code: installed')
      expect(stdout).not.toContain('failed:')
      expect((await world.precis(['uninstall', agent.name])).status).toBe(0)
      expect(readFileSync(file, 'utf8')).toBe(SETTINGS)
      expect(readFileSync(join(world.home, '.claude.json'), 'utf8')).not.toContain('precis')
    },
    TIMEOUT_MS,
  )

  it(
    'has them behind each of ten compactions, and alone it has not',
    async () => {
      const kept = await compactAgain({ isInstalled: true })
      expect(kept).toEqual(Array.from({ length: COMPACTIONS }, () => true))
      const alone = await compactAgain({ isInstalled: false })
      expect(alone.filter(Boolean)).toHaveLength(0)
    },
    TIMEOUT_MS,
  )
})

const COMPACTIONS = 10

/** Whether the rule of the first prompt is in the first request behind each compaction. */
async function compactAgain({ isInstalled }: { isInstalled: boolean }): Promise<boolean[]> {
  const agent = AGENTS.find(({ name }) => name === 'claude-code')
  if (!agent) throw new Error('there is no such agent')
  const task = new CountedTask()
  const world = await World.open(agent, { answer: task.answer })
  onTestFinished(() => world.close())
  if (isInstalled) expect((await world.precis(['install', agent.name])).status).toBe(0)
  task.left = 2
  await world.sends(agent.start(`${RULE} Read the rows.`))
  const kept: boolean[] = []
  for (let at = 1; at <= COMPACTIONS; at += 1) {
    await world.run(agent.name, ['-p', '/compact', '--resume', agent.recorded(world).id])
    task.left = 1
    const [first] = await world.sends(agent.resume(agent.recorded(world), `Read part ${at}.`))
    kept.push(JSON.stringify(first).includes(RULE))
  }
  if (isInstalled) expect((await world.precis(['doctor'])).stdout).toMatch(/✓ hooks +no failures/)
  return kept
}
