// The real agents go on with compacted sessions that have images, a sub-agent and interrupted turns.
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Asked } from '../../src/dev-model/asked.ts'
import { requirement } from '../require.ts'
import type { Agent } from './agent.ts'
import { AGENTS } from './agents.ts'
import { VERSIONS } from './installed.ts'
import { DELEGATE, FOUND, isOfSubAgent, LOOK, OddTask } from './odd-task.ts'
import { countOf, expectKept, firstSent, type Sent } from './sent.ts'
import { promptFor, World } from './world.ts'

const { available, notice } = requirement('agents')
const TIMEOUT_MS = 1_500_000
const SUMMARIZE = ['--strategy', 'summarize', '--model', 'dev']
const NOT_TYPED = 'NOT USER INPUT'
const SUMMARY = 'Summary of previous conversation'

interface Shown {
  readonly sent: Sent
  readonly images: number
}

/** A session with an image that the agent read, a sub-agent where it has such, and two turns that were interrupted. */
async function record(agent: Agent) {
  const task = new OddTask()
  const world = await World.open(agent, { answer: task.answer })
  onTestFinished(() => world.close())
  task.setUp(world)
  await world.sends(agent.start(LOOK))
  const session = agent.recorded(world)
  const resume = (prompt: string) => agent.resume(session, prompt)
  if (agent.name !== 'pi') {
    const asked = await world.sends(resume(DELEGATE))
    expect(asked.some(isOfSubAgent)).toBe(true)
    expect(JSON.stringify(asked.at(-1))).toContain(FOUND)
  }
  await world.sends(resume(promptFor(4, 'the sources')))
  await task.interruptTwice(world, resume)
  const shown = async (topic: string): Promise<Shown> => {
    const [first] = await world.sends(resume(promptFor(0, topic)))
    return shownIn(world, first)
  }
  return { world, session, shown }
}

function shownIn(world: World, asked: Asked | undefined): Shown {
  if (!asked) throw new Error('nothing was sent')
  return { sent: firstSent([asked]), images: world.imagesIn(asked) }
}

async function succeeds(world: World, args: readonly string[]): Promise<string> {
  const ran = await world.precis(args)
  expect(ran).toMatchObject({ status: 0, stderr: '' })
  return ran.stdout
}

describe.skipIf(!available)(`odd sessions of the real agents ${notice}`, () => {
  for (const agent of AGENTS)
    it(
      `${agent.name} ${VERSIONS[agent.name].version} goes on behind an image, a helper and interruptions`,
      async () => {
        const { world, session, shown } = await record(agent)
        const compact = (...more: readonly string[]) =>
          succeeds(world, ['compact', session.target, '--in-place', ...more])
        // The sub-agent's own session is none that a person goes on with.
        const listed = JSON.parse(await succeeds(world, ['sessions', '--json']))
        expect(listed.map(({ path }: { path: string }) => path)).toEqual([session.target])

        const before = await shown('nothing')
        expect(before.images).toBe(1)
        await compact('--budget', '60%')
        await succeeds(world, ['undo', session.target])
        const undone = await shown('what was there')
        expect(undone.sent.calls).toEqual(before.sent.calls)
        expect(undone.sent.results).toEqual(before.sent.results)
        expect(undone.images).toBe(1)

        await compact('--budget', '60%')
        const once = await shown('less')
        expectLess(once, undone)
        // What a sub-agent said is marked as no word of the user, as before.
        expect(countOf(once.sent, NOT_TYPED)).toBe(countOf(before.sent, NOT_TYPED))
        await compact(...SUMMARIZE)
        const twice = await shown('a summary')
        expectLess(twice, once)
        expect(countOf(twice.sent, SUMMARY)).toBe(1)
      },
      TIMEOUT_MS,
    )
})

function expectLess(after: Shown, before: Shown): void {
  expectKept(after.sent, before.sent)
  expect(after.sent.chars).toBeLessThan(before.sent.chars)
  expect(after.images).toBeLessThanOrEqual(before.images)
}
