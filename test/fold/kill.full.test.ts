// A process that is killed in the middle of a fold: the thread is as it was, and what was folded is not folded again.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ChildOrder } from '../agent/child.ts'
import { Door, runsIn } from '../agent/past.ts'
import { setUpAgent } from '../agent/setup.ts'
import { within } from '../wait.ts'
import { folding, pastOf, stageOf } from './small-agent.ts'

const CHILD = fileURLToPath(new URL('../agent/child.ts', import.meta.url))
const LEASE_MS = 500

describe('a fold whose process is killed', () => {
  it.each([
    [1, 1],
    [2, 0],
    [3, 2],
  ])(
    'in chunk %i, round %i is taken up there by the next one [ALWAYS-06]',
    async (chunk, round) => {
      const setup = await setUpAgent({ agent: { limits: { leaseMs: LEASE_MS } } })
      const { threads, threadId, dev, agent, frames, storeUrl, folder, events } = setup
      await threads.import(threadId, pastOf(6, 12_500))
      await threads.append(threadId, [{ type: 'THREAD_SETTINGS', data: { preset: 'fold' } }])
      const before = JSON.stringify(await events())
      const door = new Door()
      dev.script(
        folding({
          async fold(stage) {
            if (stage.chunk === chunk && stage.round === round) await door.pass()
            return undefined
          },
        }),
      )
      const order: ChildOrder = {
        storeUrl,
        devUrl: dev.url,
        folder,
        threadId,
        does: { compact: true },
        leaseMs: LEASE_MS,
      }
      const child = spawn(process.execPath, [CHILD, JSON.stringify(order)], { stdio: 'inherit' })
      onTestFinished(() => void child.kill('SIGKILL'))
      await door.reached
      child.kill('SIGKILL')
      await within('the end of the child', once(child, 'exit'))
      expect(JSON.stringify(await events())).toBe(before)
      door.open()
      const asked = dev.requests.length
      dev.script(folding())
      const { event } = await agent.compact(threadId)
      expect(event?.data.metadata).toMatchObject({ chunks: 3, reusedChunks: chunk - 1 })
      const [next] = dev.requests.slice(asked)
      expect(next?.asked && stageOf(next.asked)).toMatchObject({ chunk, round: 0 })
      expect(runsIn(frames)).toMatchObject([{ success: true }])
      const { messages, problems } = await threads.messages(threadId)
      expect(problems).toEqual([])
      expect(JSON.stringify(messages)).toContain(
        'Chunk 1 was folded.\\nChunk 2 was folded.\\nChunk 3 was folded.',
      )
    },
  )
})
