// An agent at work until it is killed: it talks, queues, compacts and aborts, and says in lines what is surely stored.
import type { Agent } from '../../src/agent/agent.ts'
import type { Random } from '../generate/random.ts'
import { type ChildWork, READY, runChild } from '../kill/child.ts'
import { pretendWork } from '../wait.ts'
import { Coder } from './coder.ts'
import { openFaultHost, readOrders } from './fault-orders.ts'
import { resumed } from './host.ts'

/** Longer than most turns take: what is sent meanwhile waits or not, as it happens. */
const LONGEST_PAUSE_MS = 400

await runChild(async (child) => {
  const orders = readOrders(child.folder)
  const host = await openFaultHost(orders)
  const agent = host.agent()
  agent.on((frame) => {
    if (frame.type === 'answer-end') child.acknowledge(`seq ${frame.seq}`)
  })
  child.acknowledge(READY)
  const { threadId } = orders
  // The lease of the one that was killed runs out first.
  await resumed(agent, threadId)
  child.acknowledge('resumed')
  const coder = new Coder(orders.seed)
  const next = counter(orders.firstTask)
  for (;;) await step(agent, threadId, coder, next, child)
})

async function step(
  agent: Agent,
  threadId: string,
  coder: Coder,
  next: () => number,
  { random, acknowledge }: ChildWork,
): Promise<void> {
  const say = async () => {
    const number = next()
    acknowledge(`used ${number}`)
    const outcome = await agent.sendMessage(threadId, coder.taskOf(number).message)
    acknowledge(`${outcome.status} ${number}`)
  }
  const disturb = async () => {
    await pretendWork(random.int(0, LONGEST_PAUSE_MS))
    const way = random.weighted({ queue: 4, abort: 2, compact: 2, undo: 1, resume: 1 })
    if (way === 'queue') await Promise.all([say(), say()])
    else if (way === 'abort') await agent.abort(threadId)
    else if (way === 'resume') await agent.resume(threadId)
    else if (way === 'compact') await agent.sendMessage(threadId, '/compact')
    else {
      // What is undone may be too much for the window: it comes back.
      await agent.sendMessage(threadId, '/undo')
      await agent.sendMessage(threadId, '/redo')
    }
  }
  if (random.chance(0.2)) await agent.sendMessage(threadId, `/preset ${preset(random)}`)
  await Promise.all([say(), ...(random.chance(0.6) ? [disturb()] : [])])
}

function preset(random: Random): string {
  return random.pick(['log', 'range', 'whole', 'precis'])
}

function counter(first: number): () => number {
  let number = first - 1
  return () => {
    number += 1
    return number
  }
}
