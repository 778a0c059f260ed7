// Kills agents at work again and again while their model fails in every way, and looks at what is left.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Agent } from '../../src/agent/agent.ts'
import {
  type DevModel,
  type Fault,
  type ScriptFunction,
  startDevModel,
} from '../../src/dev-model/index.ts'
import { Random } from '../generate/random.ts'
import { type KillMoments, killOnce } from '../kill/harness.ts'
import { Coder } from './coder.ts'
import { FaultLog } from './fault-log.ts'
import {
  type FaultOrders,
  openFaultHost,
  TIMEOUT_MS,
  WINDOW_TOKENS,
  writeOrders,
} from './fault-orders.ts'
import { type Host, resumed } from './host.ts'
import { makeRepository } from './soak.ts'

export interface FaultOptions {
  readonly kills: number
  readonly seed: number
}

export interface FaultReport {
  readonly kills: number
  readonly events: number
  readonly faults: Readonly<Record<string, number>>
  readonly compactions: number
  readonly queued: number // messages that waited in the inbox
  readonly resumed: number // processes that went on with the thread before they were killed
}

const CHILD = new URL('./fault-child.ts', import.meta.url)
/** One request in so many goes wrong. */
const FAULT_ONE_IN = 6
const MOMENTS: KillMoments = { longestWorkMs: 3_000, earlyOneIn: 6, longestStartMs: 600 }

/** Throws where something is lost, said twice, or cannot be gone on with. */
export async function runFaults({ kills, seed }: FaultOptions): Promise<FaultReport> {
  const folder = mkdtempSync(join(tmpdir(), 'precis-faults-'))
  const workspace = join(folder, 'work')
  mkdirSync(workspace)
  makeRepository(workspace)
  const model = new FailingModel(seed)
  const dev = await startDevModel({ windowTokens: WINDOW_TOKENS, script: model.script })
  const storeUrl = `sqlite:${join(folder, 'threads.db')}`
  const threadId = 'thr_faults'
  const orders = { seed, storeUrl, workspace, devUrl: dev.url, threadId, firstTask: 1 }
  const host = await openFaultHost(orders)
  await host.threads.create({ threadId })
  const log = new FaultLog(host, threadId)
  try {
    const random = new Random(seed)
    for (let kill = 1; kill <= kills; kill += 1) {
      writeOrders(folder, { ...orders, firstTask: log.nextTask })
      log.takeLines(await killOnce(CHILD, folder, random, MOMENTS))
      await log.check(dev).catch((cause: unknown) => {
        throw new Error(`kill ${kill} with seed ${seed} broke something`, { cause })
      })
    }
    await goOn(host, orders, model, log, dev)
    const { faults } = model
    return { kills, faults, ...(await log.report()) }
  } finally {
    await log.close()
    await host.close()
    await dev.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Nothing fails any more: the thread is gone on with, and a task is worked off. */
async function goOn(
  host: Host,
  { threadId }: FaultOrders,
  model: FailingModel,
  log: FaultLog,
  dev: DevModel,
): Promise<void> {
  model.isFailing = false
  const agent = host.agent()
  await resumed(agent, threadId)
  const number = log.nextTask
  const outcome = await agent.sendMessage(threadId, model.coder.taskOf(number).message)
  expect(outcome).toMatchObject({ status: 'done' })
  expect(model.coder.hasDone(number), `task ${number} was done`).toBe(true)
  log.takeLines([`used ${number}`, `done ${number}`])
  await settled(agent, threadId)
  await log.check(dev)
  await log.checkEnd()
}

/** A compaction in the background may still be under way. */
async function settled(agent: Agent, threadId: string): Promise<void> {
  await agent.abort(threadId)
  await agent.close()
}

/** The coder behind a line that is bad. */
class FailingModel {
  readonly coder: Coder
  readonly faults: Record<string, number> = {}
  isFailing = true
  readonly #random: Random

  constructor(seed: number) {
    this.coder = new Coder(seed)
    this.#random = new Random(seed + 1)
  }

  readonly script: ScriptFunction = (asked) => {
    const answer = this.coder.script(asked)
    if (!this.isFailing || this.#random.int(1, FAULT_ONE_IN) > 1) return answer
    const fault = faultOf(this.#random)
    this.faults[fault.kind] = (this.faults[fault.kind] ?? 0) + 1
    return { ...answer, fault }
  }
}

function faultOf(random: Random): Fault {
  const kind = random.weighted({
    overflow: 3,
    stall: 2,
    drop: 3,
    empty: 3,
    refusal: 2,
    'cut-off': 3,
    'rate-limit': 2,
    overloaded: 1,
    'server-error': 1,
  })
  const at = random.pick(['start', 'middle'] as const)
  if (kind === 'stall') return { kind, at, ms: random.pick([200, TIMEOUT_MS + 500]) }
  if (kind === 'rate-limit') return { kind, retryAfterS: 0 }
  return kind === 'drop' ? { kind, at } : { kind }
}
