// A team under load: three servers on one PostgreSQL, many writers and followers, kills, a database that restarts.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { ThreadEvent } from '../../src/core/log/event.ts'
import { startDevModel } from '../../src/dev-model/index.ts'
import type { Client } from '../../src/protocol/client.ts'
import { Random } from '../generate/random.ts'
import { type PostgresServer, startPostgres } from '../postgres/server.ts'
import { SEED } from '../scale.ts'
import { pretendWork, until } from '../wait.ts'
import { FollowedThread } from './followed-thread.ts'
import { Team } from './team.ts'

export interface TeamLoad {
  readonly writers: number
  readonly followers: number
  readonly minutes: number
  readonly killEveryMs: number
  readonly restarts: number
  /** The pause of a writer after each answer. */
  readonly pauseMs: number
  /** For the long tier: the memory of the servers that live all the time, and the bound on p99. */
  readonly isMeasured: boolean
}

const SERVERS = 3
/** These two live through the whole run, so that their memory can be compared; the third is killed. */
const KEPT = SERVERS - 1
const SLACK_MS = 600_000
/** What starts, and what was waiting, takes a while after the database is back. */
const AFTERMATH_MS = 10_000
const MOST_P99_PER_P50 = 10
const MOST_GROWTH = 1.1
const MINUTE_MS = 60_000
/** A write whose answer was lost may still be written a moment later. */
const DOUBT_MS = 3_000

interface Outage {
  readonly fromMs: number
  toMs: number
}

/**
 * After a kill our client pauses for 250 ms and up to a second more by chance, and is answered then. What was
 * under way between a kill and so much later does not count, whichever process it came from and went to.
 */
const RECONNECT_MS = 1_500

function outageAt(fromMs: number, forMs = 0): Outage {
  return { fromMs, toMs: fromMs + forMs }
}

export function teamLoadSuite(load: TeamLoad): void {
  const { writers, followers, minutes, restarts } = load
  it(
    `${SERVERS} servers, ${writers} writing threads, ${followers} followers, ${minutes} minutes, kills, ${restarts} restarts of the database: nothing lost, nothing twice (seed ${SEED})`,
    async () => {
      const server = await startPostgres({ fsync: 'off', max_connections: '200' })
      const dev = await startDevModel()
      const team = new Team(server.address('team'), dev.url, new Random(SEED))
      try {
        for (let at = 0; at < SERVERS; at += 1) await team.grow()
        await runLoad(team, server, load)
      } finally {
        team.end()
        await dev.close()
        await server.remove()
      }
    },
    minutes * MINUTE_MS + SLACK_MS,
  )
}

async function runLoad(team: Team, server: PostgresServer, load: TeamLoad): Promise<void> {
  const client = team.client()
  const stop = new AbortController()
  const threads: FollowedThread[] = []
  for (let at = 0; at < load.writers; at += 1) {
    const { threadId } = await client.createThread()
    const count = Math.ceil((load.followers - at) / load.writers)
    threads.push(new FollowedThread(client, threadId, count, stop.signal))
  }
  const startMs = Date.now()
  const endMs = startMs + load.minutes * MINUTE_MS
  const isOver = () => Date.now() >= endMs
  const writing = Promise.all(threads.map((thread) => write(client, thread, load.pauseMs, isOver)))
  const memory = sampleMemory(team, isOver)
  const outages = await disturb(team, server, load, startMs, endMs)
  const said = await writing
  for (const [at, thread] of threads.entries()) {
    const events = await eventsOf(client, thread.threadId)
    expect(textsIn(events)).toEqual(said[at])
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    const ids = events.map(({ id }) => id)
    await until(
      () => `all followers of ${thread.threadId} to have ${ids.length} events: ${thread.counts()}`,
      () => thread.counts().every((count) => count >= ids.length),
      { withinMs: SLACK_MS / 5, everyMs: 100 },
    )
    for (const got of thread.received) expect(got).toEqual(ids)
  }
  stop.abort()
  const all = delaysOf(threads, [])
  const living = delaysOf(threads, [...outages, ...team.killedMs.map((atMs) => outageAt(atMs))])
  const delays = delaysOf(threads, [
    ...outages,
    ...team.killedMs.map((atMs) => outageAt(atMs, RECONNECT_MS)),
  ])
  const growth = growthOf(await memory, startMs, endMs)
  process.stdout.write(
    `${SERVERS} servers, ${team.killedMs.length} killed, ${load.restarts} restarts of the database: ${said.flat().length} messages, ${delays.all} deliveries; ` +
      `delay of all p50 ${all.p50} ms, p99 ${all.p99} ms; between processes that lived (${living.sorted.length}) p50 ${living.p50} ms, p99 ${living.p99} ms; outside of outages (${delays.sorted.length}) p50 ${delays.p50} ms, p99 ${delays.p99} ms, most ${delays.sorted.at(-1)} ms; ` +
      `memory ${growth.map(({ early, late }) => `${early} → ${late} MB`).join(', ')}\n`,
  )
  expect(delays.sorted.length).toBeGreaterThan(0)
  if (!load.isMeasured) return
  expect(delays.p99).toBeLessThanOrEqual(delays.p50 * MOST_P99_PER_P50)
  for (const { early, late } of growth) expect(late).toBeLessThanOrEqual(early * MOST_GROWTH)
}

/** Kills the third server again and again, and restarts the database at even distances. */
async function disturb(
  team: Team,
  server: PostgresServer,
  { killEveryMs, restarts, minutes }: TeamLoad,
  startMs: number,
  endMs: number,
): Promise<readonly Outage[]> {
  const outages: Outage[] = []
  const restartEveryMs = (minutes * MINUTE_MS) / (restarts + 1)
  while (Date.now() < endMs) {
    await pretendWork(Math.min(killEveryMs, Math.max(0, endMs - Date.now())))
    if (Date.now() >= endMs) break
    if (
      outages.length < restarts &&
      Date.now() >= startMs + (outages.length + 1) * restartEveryMs
    ) {
      const outage: Outage = { fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY }
      outages.push(outage)
      await server.stop('immediate')
      await requireTold(team)
      await server.start()
      outage.toMs = Date.now() + AFTERMATH_MS
    } else await team.replaceOne(KEPT)
  }
  expect(outages).toHaveLength(restarts)
  return outages
}

/** An operator sees on every server what is wrong: the process is there, its store is not. */
async function requireTold(team: Team): Promise<void> {
  for (const url of team.urls().slice(0, KEPT)) {
    const ask = async (path: string) => (await fetch(`${url}/api${path}`)).text()
    const isTold = async () =>
      (await ask('/health')).includes('"store":"silent"') &&
      (await ask('/metrics')).includes('precis_store_up 0') &&
      (await ask('/ready')).includes('The store does not answer.')
    await until('health, metrics and readiness to name the store', isTold, { everyMs: 200 })
  }
}

/** Says one thing after the other, each until it is heard and answered; gives what it has said. */
async function write(
  client: Client,
  thread: FollowedThread,
  pauseMs: number,
  isOver: () => boolean,
): Promise<string[]> {
  const said: string[] = []
  const { threadId } = thread
  while (!isOver() || said.length === 0) {
    const text = `message ${said.length + 1} of ${threadId}`
    const isHeard = async () => {
      if (textsIn(await eventsOf(client, threadId, thread.lastSeq + 1)).includes(text)) return true
      if (thread.heard.has(text)) return true
      const isSent = await client.send(threadId, text).then(
        () => true,
        () => false,
      )
      if (!isSent) await pretendWork(DOUBT_MS)
      return isSent
    }
    await until(`${text} to be heard`, isHeard, { withinMs: SLACK_MS / 2, everyMs: 100 })
    said.push(text)
    let looks = 0
    const isDone = async () => {
      looks += 1
      // Whoever worked on it may be dead: another goes on, once the lease is over.
      if (looks % 50 === 0) await client.resume(threadId).catch(() => undefined)
      return thread.isAnswered(text)
    }
    await until(`an answer to ${text}`, isDone, { withinMs: SLACK_MS / 2, everyMs: 100 })
    await pretendWork(pauseMs)
  }
  return said
}

async function eventsOf(client: Client, threadId: string, from = 1) {
  const ask = () => client.events(threadId, { from, limit: 10_000 }).catch(() => undefined)
  const found = await until(`the events of ${threadId}`, ask, {
    withinMs: SLACK_MS / 2,
    everyMs: 500,
  })
  return found ?? []
}

function textsIn(events: readonly ThreadEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === 'USER_MESSAGE' && String(event.data).startsWith('message ')
      ? [String(event.data)]
      : [],
  )
}

function delaysOf(threads: readonly FollowedThread[], outages: readonly Outage[]) {
  const all = threads.flatMap(({ deliveries }) => deliveries)
  const sorted = all
    .filter(
      ({ storedMs, delayMs }) =>
        !outages.some(({ fromMs, toMs }) => storedMs + delayMs >= fromMs && storedMs <= toMs),
    )
    .map(({ delayMs }) => delayMs)
    .toSorted((one, other) => one - other)
  const share = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0
  return { all: all.length, sorted, p50: share(0.5), p99: share(0.99) }
}

type Sample = { readonly atMs: number; readonly megabytes: readonly number[] }

async function sampleMemory(team: Team, isOver: () => boolean): Promise<readonly Sample[]> {
  const samples: Sample[] = []
  const kept = team.processIds().slice(0, KEPT)
  while (!isOver()) {
    samples.push({ atMs: Date.now(), megabytes: kept.map(residentMegabytes) })
    await pretendWork(1_000)
  }
  return samples
}

function residentMegabytes(processId: number): number {
  const status = readFileSync(`/proc/${processId}/status`, 'utf8')
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_000)
}

/** The median of the second minute, and that of the last one. */
function growthOf(samples: readonly Sample[], startMs: number, endMs: number) {
  const median = (from: number, to: number, at: number) => {
    const within = samples
      .filter(({ atMs }) => atMs >= from && atMs < to)
      .map(({ megabytes }) => megabytes[at] ?? 0)
      .toSorted((one, other) => one - other)
    return within[Math.floor(within.length / 2)] ?? 0
  }
  return Array.from({ length: KEPT }, (_, at) => ({
    early: median(startMs + MINUTE_MS, startMs + 2 * MINUTE_MS, at),
    late: median(endMs - MINUTE_MS, endMs, at),
  }))
}
