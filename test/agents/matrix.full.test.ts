// The real agents: each records, and goes on with what précis made of its own and of the others' sessions.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Asked } from '../../src/dev-model/asked.ts'
import { requirement } from '../require.ts'
import type { Agent, AgentSession } from './agent.ts'
import { AGENTS } from './agents.ts'
import { VERSIONS } from './installed.ts'
import { countOf, expectKept, expectPaired, firstSent, lastSent, type Sent } from './sent.ts'
import { promptFor, World } from './world.ts'

const { available, notice } = requirement('agents')
/** Six starts of an agent, on a machine that does much else. */
const TIMEOUT_MS = 600_000

interface Recorded {
  readonly world: World
  readonly session: AgentSession
  /** The last request before anything was compacted. */
  readonly sent: Sent
  /** The session as one of each other agent. */
  readonly converted: ReadonlyMap<string, string>
}

describe.skipIf(!available)(`the real agents ${notice}`, () => {
  const recorded = new Map<string, Recorded>()
  const of = ({ name }: Agent): Recorded => {
    const found = recorded.get(name)
    if (!found) throw new Error(`${name} has recorded nothing`)
    return found
  }

  beforeAll(async () => {
    for (const agent of AGENTS) {
      const world = await World.open(agent)
      await world.sends(agent.start(promptFor(5, 'the sources')))
      const session = agent.recorded(world)
      const asked = await world.sends(agent.resume(session, promptFor(3, 'the tests')))
      const converted = await conversions(world, agent, session)
      recorded.set(agent.name, { world, session, sent: lastSent(asked), converted })
    }
  }, TIMEOUT_MS)

  afterAll(async () => {
    for (const { world } of recorded.values()) await world.close()
  })

  for (const agent of AGENTS) {
    const title = `${agent.name} ${VERSIONS[agent.name].version}`

    it(`${title} goes on with what was compacted in place, again and undone`, {
      timeout: TIMEOUT_MS,
    }, async () => {
      const { world, session, sent } = of(agent)
      await goOn(world, session, sent)
    })

    for (const from of AGENTS.filter((other) => other !== agent))
      it(`${title} goes on with a session of ${from.name}`, { timeout: TIMEOUT_MS }, async () => {
        const source = of(from)
        const { world } = of(agent)
        const session = await agent.adopt(world, source.converted.get(agent.name) ?? '')
        const asked = await world.sends(agent.resume(session, promptFor(1, 'what is left')))
        expectConverted(firstSent(asked), source.sent, { from, to: agent })
        expectPaired(lastSent(asked))
      })
  }
})

const SUMMARIZE = ['--strategy', 'summarize', '--model', 'dev']
const SUMMARY = 'Summary of previous conversation'

async function goOn(world: World, session: AgentSession, sent: Sent): Promise<void> {
  const resume = (rounds: number, topic: string): Promise<readonly Asked[]> =>
    world.sends(world.agent.resume(session, promptFor(rounds, topic)))
  const compact = (...more: readonly string[]) =>
    succeeds(world, ['compact', session.target, '--in-place', ...more])

  await compact('--budget', '40%')
  const once = await resume(3, 'the documents')
  expectSmaller(firstSent(once), sent)

  const whole = lastSent(once)
  await compact(...SUMMARIZE)
  await succeeds(world, ['undo', session.target])
  const undone = firstSent(await resume(0, 'nothing'))
  expect(undone.calls).toEqual(whole.calls)
  expect(countOf(undone, SUMMARY)).toBe(0)

  await compact(...SUMMARIZE)
  const twice = await resume(2, 'what is left')
  expectSmaller(firstSent(twice), undone)
  expect(countOf(firstSent(twice), SUMMARY)).toBe(1)
  expect(countOf(firstSent(twice), promptFor(2, 'what is left'))).toBe(1)

  await compact('--budget', '60%')
  const thrice = await resume(1, 'the end')
  expectSmaller(firstSent(thrice), lastSent(twice))
  expect(countOf(firstSent(thrice), SUMMARY)).toBe(1)
  expectPaired(lastSent(thrice))
}

async function succeeds(world: World, args: readonly string[]): Promise<void> {
  expect(await world.precis(args)).toMatchObject({ status: 0, stderr: '' })
}

function expectSmaller(after: Sent, before: Sent): void {
  expectKept(after, before)
  expect(after.chars).toBeLessThan(before.chars)
}

async function conversions(
  world: World,
  agent: Agent,
  { target }: AgentSession,
): Promise<ReadonlyMap<string, string>> {
  const converted = new Map<string, string>()
  for (const { name } of AGENTS.filter((other) => other !== agent)) {
    const out = join(world.folder, `as-${name}`)
    await succeeds(world, ['export', target, '--to', name, '--raw', '--out', out])
    converted.set(name, readFileSync(out, 'utf8'))
  }
  return converted
}

/** What Codex and Claude Code tell their models of themselves. */
const OWN_WORDS = ['<permissions instructions>', '<environment_context>', '<skills_instructions>']

/** Everything that was called, in order, and what was said; nothing that the other agent says of itself. */
function expectConverted(
  after: Sent,
  before: Sent,
  { from, to }: { readonly from: Agent; readonly to: Agent },
): void {
  expect(after.calls.map(({ told }) => told)).toEqual(before.calls.map(({ told }) => told))
  expectPaired(after)
  const failed = after.results.filter((each) => each.failed)
  if (to.tellsFailures) expect(failed).toHaveLength(from.recordsFailures ? 2 : 0)
  for (const prompt of [promptFor(5, 'the sources'), promptFor(3, 'the tests')])
    expect(countOf(after, prompt)).toBe(1)
  if (to.name === 'codex') return
  for (const words of OWN_WORDS) expect(countOf(after, words)).toBe(0)
}
