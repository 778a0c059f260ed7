// `precis handoff` from one real agent to the next, all in one home: the command that it prints goes on with the session.
import { realpathSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Asked } from '../../src/dev-model/asked.ts'
import { requirement } from '../require.ts'
import type { Agent } from './agent.ts'
import { AGENTS } from './agents.ts'
import type { AgentName } from './installed.ts'
import { countOf, expectPaired, firstSent } from './sent.ts'
import { promptFor, World } from './world.ts'

const { available, notice } = requirement('agents')
const TIMEOUT_MS = 600_000
const RULE = 'Never push to the main branch.'
const MODEL = 'dev-1'

/** The words of the printed command behind the name of the program, made to answer one prompt and end. */
const WITHOUT_TERMINAL: Readonly<
  Record<AgentName, (words: readonly string[], prompt: string) => readonly string[]>
> = {
  'claude-code': (words, prompt) => [...words, '-p', prompt, '--allowedTools', 'Bash'],
  codex: (words, prompt) => ['exec', ...words, '--skip-git-repo-check', prompt],
  opencode: (words, prompt) => ['run', ...words, '--model', `dev/${MODEL}`, prompt],
  pi: (words, prompt) => [...words, '--provider', 'dev', '--model', MODEL, '-p', prompt],
}

const PROGRAMS: Readonly<Record<AgentName, string>> = {
  'claude-code': 'claude',
  codex: 'codex',
  opencode: 'opencode',
  pi: 'pi',
}

/** Runs a printed command: several, where `&&` stands between them. The last one gets the prompt. */
async function goOn(world: World, to: Agent, command: string, prompt: string) {
  const parts = command.split(' && ').map((part) => part.split(' '))
  const last = parts.pop() ?? []
  for (const [program, ...words] of parts) {
    expect(program).toBe(PROGRAMS[to.name])
    await world.run(to.name, words)
  }
  const [program, ...words] = last
  expect(program).toBe(PROGRAMS[to.name])
  return world.sends(WITHOUT_TERMINAL[to.name](words, prompt), to.name)
}

describe.skipIf(!available)(`precis handoff with the real agents ${notice}`, () => {
  it(
    'goes round: each goes on with what the one before it recorded',
    async () => {
      const [first, ...others] = AGENTS
      if (!first) throw new Error('there are no agents')
      const world = await World.open(first, { others })
      onTestFinished(() => world.close())
      let prompts = [`${RULE}\n${promptFor(3, 'the sources')}`]
      let asked: readonly Asked[] = await world.sends(first.start(prompts[0] ?? ''))
      for (const to of [...others, first]) {
        const ran = await world.precis(['handoff', '--to', to.name, '--json'])
        expect({ to: to.name, status: ran.status, stderr: ran.stderr }).toMatchObject({ status: 0 })
        const told = JSON.parse(ran.stdout) as { command: string; directory: string }
        expect(told.directory).toBe(realpathSync(world.project))
        const prompt = promptFor(1, `what ${to.name} finds`)
        const calls =
          asked.at(-1)?.turns.flatMap(({ parts }) => parts.filter(({ type }) => type === 'call')) ??
          []
        asked = await goOn(world, to, told.command, prompt)
        const sent = firstSent(asked)
        expectPaired(sent)
        expect(calls.length).toBeGreaterThanOrEqual(3)
        expect(sent.calls, to.name).toHaveLength(calls.length)
        for (const said of [...prompts, prompt]) expect(countOf(sent, said), to.name).toBe(1)
        prompts = [...prompts, prompt]
      }
    },
    TIMEOUT_MS,
  )
})
