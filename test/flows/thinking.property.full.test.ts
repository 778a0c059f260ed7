// Whatever happens to a thread, its next request is taken by a server that binds thinking to its prefix.
import { describe, expect, it } from 'vitest'
import { setUp } from '../dev-model/setup.ts'
import { seeds } from '../scale.ts'
import { ThinkingWorld } from './thinking-world.ts'

const SEEDS = seeds(12, 3)
const STEPS = 40

describe.each([
  { model: 'anthropic/claude-fable-5-1', why: 'thinking is bound to its prefix', isBound: true },
  { model: 'anthropic/claude-fable-5', why: 'it is not', isBound: false },
  { model: 'anthropic/claude-old-4-5', why: 'a tool loop must begin with it', isBound: false },
])('a thread with $model, where $why', ({ model, isBound }) => {
  it.each([true, false])(
    'is taken after every step, with a wish for thinking: %s',
    async (wishes) => {
      const { dev: server } = await setUp()
      for (const seed of SEEDS) {
        const world = new ThinkingWorld(seed, { server, model, wishes })
        await world.begin()
        for (let step = 0; step < STEPS; step += 1)
          await world.step().catch((error: unknown) => {
            throw new Error(`seed ${seed}: ${world.did.join(', ')}`, { cause: error })
          })
      }
      const refused = server.requests.filter(({ violations }) => violations.length > 0)
      expect(refused.map(({ violations }) => violations)).toEqual([])
      // Both happened: thinking that fits is sent as it is, and nobody asks without need.
      const thought = server.requests.map(({ body }) => JSON.stringify(body)).filter(hasThinking)
      const asking = thought.filter((body) => body.includes('drop_block'))
      expect(asking.length > 0).toBe(isBound)
      expect(asking.length).toBeLessThan(thought.length)
    },
  )
})

function hasThinking(body: string): boolean {
  return /"type":"(?:redacted_)?thinking"/.test(body)
}
