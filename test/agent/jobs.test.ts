// Compactions in the background as jobs on PostgreSQL: whoever asked for one may be gone, another does it.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DevModel, ScriptFunction } from '../../src/dev-model/index.ts'
import { type PostgresServer, startPostgres } from '../postgres/server.ts'
import { requirement } from '../require.ts'
import { until, within } from '../wait.ts'
import type { JobsChildOrder } from './jobs-child.ts'
import { asksForSummary, Door, IN_SHORT, longPast } from './past.ts'
import { type AgentSetup, setUpAgent } from './setup.ts'

/** From 0.7 of the window on, a compaction is prepared in the background. */
const SETTINGS = { preset: 'range', windowTokens: 12_000 } as const
const PAST_TOKENS = 7_200
const JOBS = { jobTimeoutMs: 60_000, retryAfterMs: 1_000, retries: 50 }
/** Many who look for jobs: whoever cannot do one any more seldom is the first to find it again. */
const MANY = { ...JOBS, jobsAtOnce: 8 }
/** What a process leaves that dies soon is tried again soon. */
const SHORT = { ...JOBS, jobTimeoutMs: 3_000 }
const LEASE_MS = 1_000
const CHILD = fileURLToPath(new URL('./jobs-child.ts', import.meta.url))
const PATIENT = { withinMs: 90_000, everyMs: 100 }
const { available, notice } = requirement('postgres')

describe.skipIf(!available)(`jobs of agents on PostgreSQL ${notice}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.remove())

  it('one that was killed in the middle is done by another process, once [ALWAYS-05] [ALWAYS-06]', async () => {
    const setup = await preparing(server.address('killed'))
    const child = startChild(setup)
    const ended = new Promise((resolve) => child.on('close', resolve))
    await setup.door.reached
    expect(await setup.eventsOf('COMPACTION')).toEqual([])
    child.kill('SIGKILL')
    await within('the end of the child', ended)
    await setup.elsewhere({}, JOBS)
    await until('the job', () => compactionsIn(setup, setup.threadId), PATIENT)
    const [compaction, ...more] = await setup.eventsOf('COMPACTION')
    expect(more).toEqual([])
    expect(compaction?.data).toMatchObject({ trigger: 'background' })
    expect(JSON.stringify(await setup.threads.messages(setup.threadId))).toContain('In short,')
    expect(await setup.agent.sendMessage(setup.threadId, 'two')).toMatchObject({ status: 'done' })
    expect(setup.dev.requests.flatMap(({ violations }) => violations)).toEqual([])
  }, 120_000)

  it('one whose agent was closed is done by another, and meanwhile by nobody else [ALWAYS-05]', async () => {
    const setup = await preparing(server.address('closed'))
    const limits = { leaseMs: LEASE_MS }
    const asking = await setup.elsewhere({ limits }, { ...JOBS, jobsAtOnce: 1 })
    expect(await asking.agent.sendMessage(setup.threadId, 'one')).toMatchObject({ status: 'done' })
    await setup.door.reached
    const many = await setup.elsewhere({}, MANY)
    // Jobs are taken in their order: whoever does the second one could not have the first.
    const second = await setup.threads.create()
    await setup.threads.import(second, longPast(PAST_TOKENS))
    await many.agent.sendMessage(second, 'one')
    await until('the job of another thread', () => compactionsIn(setup, second), PATIENT)
    expect(await setup.eventsOf('COMPACTION')).toEqual([])
    expect(summariesAskedOf(setup.dev)).toBe(2)
    await asking.agent.close()
    await until('the job', () => compactionsIn(setup, setup.threadId), PATIENT)
    expect(summariesAskedOf(setup.dev)).toBe(3)
  }, 120_000)
})

/** A thread that is full enough, and a model that answers with a summary only when it is asked again. */
async function preparing(storeUrl: string): Promise<AgentSetup & { readonly door: Door }> {
  const door = new Door()
  let asked = 0
  const script: ScriptFunction = async (request) => {
    if (!asksForSummary(request)) return { text: 'Yes.' }
    asked += 1
    if (asked === 1) await door.pass()
    return { text: IN_SHORT }
  }
  const setup = await setUpAgent({ ...SETTINGS, storeUrl })
  setup.dev.script(script)
  await setup.threads.import(setup.threadId, longPast(PAST_TOKENS))
  return { ...setup, door }
}

async function compactionsIn({ threads }: AgentSetup, threadId: string): Promise<number> {
  const events = await threads.getAllEvents(threadId)
  return events.filter(({ type }) => type === 'COMPACTION').length
}

function startChild({ storeUrl, dev, folder, threadId }: AgentSetup) {
  const order: JobsChildOrder = {
    ...{ storeUrl, devUrl: dev.url, folder, threadId },
    ...{ settings: SETTINGS, jobs: SHORT, leaseMs: LEASE_MS },
  }
  return spawn(process.execPath, [CHILD, JSON.stringify(order)], { stdio: 'inherit' })
}

function summariesAskedOf({ requests }: DevModel): number {
  return requests.filter(({ body }) => JSON.stringify(body).includes('Working state:')).length
}
