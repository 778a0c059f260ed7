// An agent in a process of its own, for tests of what holds across processes and after a kill.
import { writeSync } from 'node:fs'
import { openHost, settingsFor } from './host.ts'

/** What a child does with the thread it is given: `node child.ts '{…}'`. */
export interface ChildOrder {
  readonly storeUrl: string
  readonly devUrl: string
  readonly folder: string
  readonly threadId: string
  /** `turn`: sends the first text; as soon as that is under way, the others, which then wait. */
  readonly does: { readonly compact: true } | { readonly turn: readonly string[] }
  readonly leaseMs: number
}

const { storeUrl, devUrl, folder, threadId, does, leaseMs } = JSON.parse(
  process.argv[2] ?? '{}',
) as ChildOrder
const host = await openHost({ storeUrl, folder, settings: settingsFor(devUrl) })
const agent = host.agent({ limits: { leaseMs } })
const tell = (told: unknown) => void writeSync(1, `${JSON.stringify(told)}\n`)

if ('compact' in does) {
  const { success, event } = await agent.compact(threadId)
  tell({ success, seq: event?.seq })
} else {
  const [first = '', ...others] = does.turn
  const ended = agent.sendMessage(threadId, first)
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  agent.on(({ type }) => type === 'turn-start' && resolve())
  await begun
  for (const text of others) tell(await agent.sendMessage(threadId, text))
  tell(await ended)
}
await agent.close()
await host.close()
