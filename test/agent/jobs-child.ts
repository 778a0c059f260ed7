// An agent that asks for a compaction in the background, and lives until it is killed: `node jobs-child.ts '{…}'`.
import type { JobOptions } from '../../src/stores/index.ts'
import { openHost, type SettingsOptions, settingsFor } from './host.ts'

export interface JobsChildOrder {
  readonly storeUrl: string
  readonly devUrl: string
  readonly folder: string
  readonly threadId: string
  readonly settings: SettingsOptions
  readonly jobs: JobOptions
  readonly leaseMs: number
}

const order = JSON.parse(process.argv[2] ?? '{}') as JobsChildOrder
const { storeUrl, devUrl, folder, threadId, jobs, leaseMs } = order
const settings = settingsFor(devUrl, order.settings)
const host = await openHost({ storeUrl, folder, settings, jobs })
await host.agent({ limits: { leaseMs } }).sendMessage(threadId, 'one')
