// Work on a thread and its lease: one after the other, and nobody gives back what another has taken.
import { expect, it } from 'vitest'
import { pretendWork } from '../../../test/wait.ts'
import { systemClock } from '../../system.ts'
import type { AgentCore } from '../core.ts'
import { AGENT_LIMITS } from '../ports.ts'
import { ThreadRuntimes } from '../thread-runtime.ts'
import { workWhenFree } from './thread-lease.ts'

it('gives its lease back before the next one of the same owner begins [ALWAYS-05]', async () => {
  const calls: string[] = []
  const store = {
    async takeLease() {
      calls.push('take')
      return true
    },
    async releaseLease() {
      await pretendWork(5)
      calls.push('release')
    },
  }
  const core = {
    ports: { store, clock: systemClock },
    limits: AGENT_LIMITS,
    owner: 'one',
    closing: new AbortController().signal,
  } as unknown as AgentCore
  const desk = new ThreadRuntimes().of('t')
  const work = (name: string) => workWhenFree(core, desk, async () => void calls.push(name))
  await Promise.all([work('first'), work('second')])
  expect(calls).toEqual(['take', 'first', 'release', 'take', 'second', 'release'])
})
