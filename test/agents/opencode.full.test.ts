// précis inside the real OpenCode: its requests stay below the window without a model, and its own compaction is fed.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Asked } from '../../src/dev-model/asked.ts'
import { requirement } from '../require.ts'
import { agentOf } from './agents.ts'
import { LongTask } from './long-task.ts'
import { World } from './world.ts'

const { available, notice } = requirement('agents')
const TIMEOUT_MS = 900_000
const LIMIT = { context: 44_000, output: 4_000 }
const CONFIG = '.config/opencode/opencode.json'
const openCode = agentOf('opencode')

/** A window that a few steps fill. */
function narrow(home: string): void {
  const file = join(home, CONFIG)
  const settings = JSON.parse(readFileSync(file, 'utf8'))
  settings.provider.dev.models['dev-1'].limit = LIMIT
  writeFileSync(file, JSON.stringify(settings))
}

async function workOn(isInstalled: boolean) {
  const task = new LongTask()
  const world = await World.open(openCode, task.answer)
  onTestFinished(() => world.close())
  narrow(world.home)
  const config = readFileSync(join(world.home, CONFIG), 'utf8')
  if (isInstalled) expect((await world.precis(['install', 'opencode'])).status).toBe(0)
  const all: Asked[] = [...(await world.sends(openCode.start(task.prompt(6))))]
  const session = openCode.recorded(world)
  for (let at = 0; at < 4; at += 1) all.push(...(await world.sends(openCode.resume(session, task.prompt(6)))))
  return { world, task, session, config, all }
}

describe.skipIf(!available)(`OpenCode with précis ${notice}`, () => {
  it('stays', async () => {
    const { world, task, all } = await workOn(true)
    console.log(all.map((each) => [JSON.stringify(each.turns).length, JSON.stringify(each.turns).includes('[Context note'), task.hasRules(each)].join(' ')), world.asides)
    console.log((await world.precis(['doctor'])).stdout)
    console.log(task.factShare(all.at(-1)))
    console.log(JSON.stringify(all.at(-1)?.turns.slice(0,2)).slice(0,6000))
  }, TIMEOUT_MS)
})
