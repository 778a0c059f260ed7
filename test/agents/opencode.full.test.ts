// précis inside the real OpenCode: its requests stay below the window, and no model is asked for a summary.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Asked } from '../../src/dev-model/asked.ts'
import { requirement } from '../require.ts'
import { agentOf } from './agents.ts'
import { programOf } from './installed.ts'
import { LongTask } from './long-task.ts'
import { narrowOpenCode } from './narrow.ts'
import { World } from './world.ts'

const { available, notice } = requirement('agents')
const TIMEOUT_MS = 900_000
const FOLDER = '.config/opencode'
const openCode = agentOf('opencode')

async function workOn(isInstalled: boolean) {
  const task = new LongTask()
  const world = await World.open(openCode, { answer: task.answer })
  onTestFinished(() => world.close())
  const file = narrowOpenCode(world.home)
  const before = readFileSync(file, 'utf8')
  if (isInstalled) expect((await world.precis(['install', 'opencode'])).status).toBe(0)
  const sent = [...(await world.sends(openCode.start(task.prompt(6))))]
  const session = openCode.recorded(world)
  for (let at = 0; at < 3; at += 1)
    sent.push(...(await world.sends(openCode.resume(session, task.prompt(6)))))
  return { world, task, session, sent, file, before }
}

/** What stands first, where it is a brief. */
function briefIn({ turns }: Asked): string {
  const [part] = turns[0]?.parts ?? []
  return part?.type === 'text' && part.text.startsWith('[Context note') ? part.text : ''
}

describe.skipIf(!available)(`OpenCode with précis ${notice}`, () => {
  it(
    'sends rules and exact arguments in requests that stay small, and asks for no summary',
    async () => {
      const { world, task, session, sent, file, before } = await workOn(true)
      const alone = await workOn(false)
      const briefs = sent.map(briefIn)
      const made = new Set(briefs.filter(Boolean))
      expect(made.size).toBeGreaterThanOrEqual(2)
      // Stable: each brief stands in a row of requests, and never comes back.
      const changes = briefs.filter((brief, at) => at > 0 && brief !== briefs[at - 1])
      expect(changes).toEqual([...made])
      expect(task.hasRules(sent.at(-1))).toBe(true)
      expect(task.factShare(sent.at(-1))).toBeGreaterThan(0.5)
      expect(task.factShare(sent.at(-1))).toBeGreaterThan(alone.task.factShare(alone.sent.at(-1)))
      // The title; alone, a summary as well.
      expect(world.asides).toBeLessThanOrEqual(1)
      expect(alone.world.asides).toBeGreaterThan(1)

      const { stdout } = await world.precis(['doctor'])
      expect(stdout).toContain('opencode: installed')
      expect(stdout).not.toContain('failed:')
      expect((await world.precis(['uninstall', 'opencode'])).status).toBe(0)
      expect(readFileSync(file, 'utf8')).toBe(before)
      expect(existsSync(join(world.home, FOLDER, 'plugin'))).toBe(false)
      await world.sends(openCode.resume(session, task.prompt(0)))
    },
    TIMEOUT_MS,
  )

  it(
    'gives the rules of the user to the summary that OpenCode itself asks for',
    async () => {
      const task = new LongTask()
      const world = await World.open(openCode, { answer: task.answer })
      onTestFinished(() => world.close())
      narrowOpenCode(world.home)
      expect((await world.precis(['install', 'opencode'])).status).toBe(0)
      await world.sends(openCode.start(task.prompt(3)))
      const session = openCode.recorded(world)
      await compactByItself(world, session.id)
      const asked = world.asideTexts.filter((text) => text.includes(FED))
      expect(asked).toHaveLength(1)
      expect(task.saidRules.every((rule) => asked[0]?.includes(rule))).toBe(true)
      expect((await world.precis(['doctor'])).stdout).toMatch(/✓ hooks +no failures/)
      const [first] = await world.sends(openCode.resume(session, task.prompt(1)))
      expect(first?.turns.flatMap(({ parts }) => parts).some(({ type }) => type === 'call')).toBe(
        false,
      )
    },
    TIMEOUT_MS,
  )
})

const FED = 'Keep the following in the summary'

/** As `/compact` in its terminal does: asks OpenCode's own server. */
async function compactByItself(world: World, id: string): Promise<void> {
  const child = spawn(programOf('opencode'), ['serve', '--port', '0'], {
    cwd: world.project,
    env: world.environment(),
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: TIMEOUT_MS,
  })
  const ended = once(child, 'close')
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /listening on (http:\S+)/.exec(line)?.[1]
      if (url === undefined) continue
      const body = JSON.stringify({ providerID: 'dev', modelID: 'dev-1' })
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(`${url}/session/${id}/summarize`, {
        method: 'POST',
        headers,
        body,
      })
      expect([answer.status, await answer.text()]).toEqual([200, 'true'])
      break
    }
  } finally {
    child.kill()
    await ended
  }
}
