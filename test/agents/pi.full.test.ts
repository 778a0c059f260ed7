// précis inside the real pi: its compactions are made without a model, and what the user said is behind each of them.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Asked } from '../../src/dev-model/asked.ts'
import { requirement } from '../require.ts'
import { agentOf } from './agents.ts'
import { LongTask } from './long-task.ts'
import { narrowPi } from './narrow.ts'
import { World } from './world.ts'

const { available, notice } = requirement('agents')
const TIMEOUT_MS = 900_000
const COMPACTIONS = 10
const MOST_PROMPTS = 40
const pi = agentOf('pi')

interface Compaction {
  readonly type: string
  readonly summary: string
  readonly details?: { readonly by?: string }
}

function compactionsIn(file: string): Compaction[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'compaction')
}

/** Until pi has compacted ten times; `kept` says of the first request behind each whether it has the rules. */
async function workOn(isInstalled: boolean) {
  const task = new LongTask()
  const world = await World.open(pi, { answer: task.answer })
  onTestFinished(() => world.close())
  narrowPi(world.home)
  if (isInstalled) expect((await world.precis(['install', 'pi'])).status).toBe(0)
  await world.sends(pi.start(task.prompt(5)))
  const session = pi.recorded(world)
  const kept: boolean[] = []
  let compacted = 0
  let sent: readonly Asked[] = []
  for (let at = 0; at < MOST_PROMPTS && compacted < COMPACTIONS; at += 1) {
    await world.sends(pi.resume(session, task.prompt(6)))
    const now = compactionsIn(session.target).length
    if (now === compacted) continue
    compacted = now
    sent = await world.sends(pi.resume(session, task.prompt(1)))
    kept.push(task.hasRules(sent[0]))
  }
  const lost = kept.filter((each) => !each).length
  return { world, task, session, lost, share: task.factShare(sent[0]) }
}

describe.skipIf(!available)(`pi with précis ${notice}`, () => {
  it(
    'has rules and exact arguments behind ten compactions, asks no model for them, and recalls',
    async () => {
      const { world, task, session, lost, share } = await workOn(true)
      const alone = await workOn(false)
      const compactions = compactionsIn(session.target)
      expect(compactions.length).toBeGreaterThanOrEqual(COMPACTIONS)
      expect(compactions.every(({ details }) => details?.by === 'precis')).toBe(true)
      expect({ lost, asides: world.asides }).toEqual({ lost: 0, asides: 0 })
      expect(share).toBeGreaterThan(0.5)
      expect(share).toBeGreaterThan(alone.share)
      expect(alone.world.asides).toBeGreaterThanOrEqual(COMPACTIONS)

      // One call, by the ref that the summary gives: what no summary shows.
      const { summary = '' } = compactions.at(-1) ?? {}
      const [, ref = ''] = /\[ref:(e\d+)\] bash [^\n]*"s\/\^\/step 3, /.exec(summary) ?? []
      task.answerNext({ calls: [{ name: 'recall', arguments: { ref } }] })
      const recalled = await world.sends(pi.resume(session, task.prompt(0)))
      const has = recalled.map(({ turns }) => JSON.stringify(turns).includes('step 3, line 150'))
      expect(has).toEqual([false, true])

      const { stdout } = await world.precis(['doctor'])
      expect(stdout).toContain('pi: installed')
      expect(stdout).not.toContain('failed:')
      const settings = readFileSync(join(world.home, '.pi/agent/settings.json'), 'utf8')
      expect((await world.precis(['uninstall', 'pi'])).status).toBe(0)
      expect(existsSync(join(world.home, '.pi/agent/extensions'))).toBe(false)
      expect(readFileSync(join(world.home, '.pi/agent/settings.json'), 'utf8')).toBe(settings)
      await world.sends(pi.resume(session, task.prompt(1)))
    },
    TIMEOUT_MS,
  )
})
