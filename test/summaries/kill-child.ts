// An agent that compacts several threads at once, each up to the stage at which it is to be killed.
import { writeSync } from 'node:fs'
import type { NewEvent } from '../../src/core/log/event.ts'
import type { Store } from '../../src/core/ports.ts'
import { openHost, type SettingsOptions, settingsFor } from '../agent/host.ts'

/** `streaming` is where the model stops in the middle: that is for whoever plays the model. */
export type Stage = 'asking' | 'streaming' | 'answered' | 'committed'

/** What a child is told: `node kill-child.ts '{…}'`. Tells the id of each thread that has come to its stage. */
export interface KillOrder {
  readonly storeUrl: string
  readonly devUrl: string
  readonly folder: string
  readonly settings: SettingsOptions
  readonly leaseMs: number
  readonly stages: Readonly<Record<string, Stage>> // by thread
}

const { storeUrl, devUrl, folder, settings, leaseMs, stages } = JSON.parse(
  process.argv[2] ?? '{}',
) as KillOrder
const host = await openHost({
  storeUrl,
  folder,
  settings: settingsFor(devUrl, settings),
  around: stoppingStore,
})
const agent = host.agent({
  limits: { leaseMs },
  hooks: [{ before: ({ threadId }) => stopAt(threadId, 'asking') }],
})
await Promise.all(Object.keys(stages).map((threadId) => agent.sendMessage(threadId, '/compact')))

/** Where a thread has come to its stage, nothing goes on any more. */
async function stopAt(threadId: string, stage: Stage): Promise<undefined> {
  if (stages[threadId] !== stage) return
  writeSync(1, `${threadId}\n`)
  await Promise.withResolvers<never>().promise
}

function stoppingStore(store: Store): Store {
  const append: Store['append'] = async (threadId, events, options) => {
    const from = freshOrigin(events)
    const isCommit = from !== undefined || events.some(({ type }) => type === 'COMPACTION')
    if (isCommit) await stopAt(from ?? threadId, 'answered')
    const appended = await store.append(threadId, events, options)
    if (isCommit) await stopAt(from ?? threadId, 'committed')
    return appended
  }
  return new Proxy(store, {
    get: (target, name) => {
      const member = name === 'append' ? append : Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

/** The thread that a fresh session comes from, where these events open one. */
function freshOrigin(events: readonly NewEvent[]): string | undefined {
  const [first] = events
  if (first?.type !== 'THREAD_STARTED' || first.data.reason !== 'fresh-session') return undefined
  return first.data.from?.threadId
}
