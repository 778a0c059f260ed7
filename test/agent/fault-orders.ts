// What a process of the fault run is told: where everything is. In a file, since processes come and go.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Host, openHost, settingsFor } from './host.ts'

export interface FaultOrders {
  readonly seed: number
  readonly storeUrl: string
  readonly workspace: string
  readonly devUrl: string
  readonly threadId: string
  /** Numbers below were given to processes before. */
  readonly firstTask: number
}

export const WINDOW_TOKENS = 7_500
const OUTPUT_TOKENS = 1_500
/** A stall is over soon, one way or the other. */
export const TIMEOUT_MS = 2_000
/** How long a thread stays taken after a kill. */
const LEASE_MS = 800

export function writeOrders(folder: string, orders: FaultOrders): void {
  writeFileSync(join(folder, 'orders.json'), JSON.stringify(orders))
}

export function readOrders(folder: string): FaultOrders {
  return JSON.parse(readFileSync(join(folder, 'orders.json'), 'utf8'))
}

/** Everything an agent needs, as each process opens it for itself. */
export function openFaultHost({ storeUrl, workspace, devUrl }: FaultOrders): Promise<Host> {
  const settings = settingsFor(devUrl, {
    windowTokens: WINDOW_TOKENS,
    outputTokens: OUTPUT_TOKENS,
    auto: { cooldownMs: 0 },
  })
  return openHost({
    storeUrl,
    folder: workspace,
    settings: { ...settings, providers: { anthropic: { baseUrl: devUrl, timeoutMs: TIMEOUT_MS } } },
    agent: { limits: { leaseMs: LEASE_MS } },
  })
}
