// Two servers on one PostgreSQL, one of them killed again and again: nothing is lost, nothing comes twice, everybody catches up.
import { expect, it } from 'vitest'
import type { ThreadEvent } from '../../src/core/log/event.ts'
import { startDevModel } from '../../src/dev-model/index.ts'
import type { Client } from '../../src/protocol/client.ts'
import { Random } from '../generate/random.ts'
import { startPostgres } from '../postgres/server.ts'
import { SEED } from '../scale.ts'
import { pretendWork, until } from '../wait.ts'
import { Team } from './team.ts'

export interface TeamOptions {
  readonly writers: number
  readonly followersEach: number
  readonly kills: number
  readonly killEveryMs: number
}

const SLACK_MS = 240_000
/** What starting a process may take on a busy machine. */
const START_MS = 30_000
const POLL_MS = 100
/** A lease of a process that was killed ends first, and another starts. */
const PATIENT = { withinMs: SLACK_MS / 2, everyMs: POLL_MS }

export function teamSuite({ writers, followersEach, kills, killEveryMs }: TeamOptions): void {
  it(
    `two servers on one PostgreSQL, ${kills} killed under load: nothing lost, nothing twice, followers catch up [ALWAYS-06] [NEED-13] (seed ${SEED})`,
    async () => {
      const server = await startPostgres()
      const dev = await startDevModel({ pieceDelayMs: 2 })
      const team = new Team(server.address('team'), dev.url, new Random(SEED))
      try {
        await Promise.all([team.grow(), team.grow()])
        await runTeam(team, writers, followersEach, kills, killEveryMs)
      } finally {
        team.end()
        await dev.close()
        await server.remove()
      }
    },
    kills * (killEveryMs + START_MS) + SLACK_MS,
  )
}

async function runTeam(
  team: Team,
  writers: number,
  followersEach: number,
  kills: number,
  killEveryMs: number,
): Promise<void> {
  const client = team.client()
  const threadIds = await Promise.all(
    Array.from({ length: writers }, async () => (await client.createThread()).threadId),
  )
  const stop = new AbortController()
  const followers = threadIds.flatMap((threadId) =>
    Array.from({ length: followersEach }, () => new EventFollower(client, threadId, stop.signal)),
  )
  let isOver = false
  const writing = Promise.all(threadIds.map((threadId) => write(client, threadId, () => isOver)))
  for (let kill = 0; kill < kills; kill += 1) {
    await pretendWork(killEveryMs)
    await team.replaceOne()
  }
  isOver = true
  const said = await writing
  let count = 0
  for (const [index, threadId] of threadIds.entries()) {
    const events = await eventsOf(client, threadId)
    expect(textsIn(events)).toEqual(said[index])
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1))
    for (const follower of followers.filter((each) => each.threadId === threadId)) {
      await until(`all events of ${threadId}`, () => follower.ids.length >= events.length, PATIENT)
      expect(follower.ids).toEqual(events.map(({ id }) => id))
    }
    count += events.length
  }
  stop.abort()
  process.stdout.write(
    `two servers, ${team.killedMs.length} killed: ${said.flat().length} messages, ${count} events, ${followers.length} followers\n`,
  )
}

/** Says one thing after the other, each until it is answered; gives what it has said. */
async function write(client: Client, threadId: string, isOver: () => boolean): Promise<string[]> {
  const said: string[] = []
  let seen = 0 // what was answered is not read again
  while (!isOver() || said.length === 0) {
    const text = `message ${said.length + 1} of ${threadId}`
    const isHeard = async () => {
      await client.send(threadId, text).catch(() => undefined)
      // What a process that was killed had sent to its database may still be written a moment later.
      await pretendWork(POLL_MS)
      return (await eventsOf(client, threadId, seen)).some((event) => heard(event) === text)
    }
    await until(`${text} to be heard`, isHeard, PATIENT)
    said.push(text)
    let tries = 0
    const isDone = async () => {
      tries += 1
      // Whoever worked on it may be dead: another goes on, once the lease is over.
      if (tries % 10 === 0) await client.resume(threadId).catch(() => undefined)
      const events = await eventsOf(client, threadId, seen)
      if (!isAnswered(events)) return false
      seen = events.at(-1)?.seq ?? seen
      return true
    }
    await until(`an answer to ${text}`, isDone, PATIENT)
  }
  return said
}

async function eventsOf(
  client: Client,
  threadId: string,
  after = 0,
): Promise<readonly ThreadEvent[]> {
  const range = { from: after + 1, limit: 10_000 }
  const ask = () => client.events(threadId, range).catch(() => undefined)
  return (await until(`the events of ${threadId}`, ask, PATIENT)) ?? []
}

/** What was said, delivered or still in the inbox. */
function heard(event: ThreadEvent): string | undefined {
  if (event.type === 'USER_MESSAGE') return String(event.data)
  return event.type === 'MESSAGE_QUEUED' ? String(event.data.content) : undefined
}

function textsIn(events: readonly ThreadEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === 'USER_MESSAGE' && String(event.data).startsWith('message ')
      ? [String(event.data)]
      : [],
  )
}

function isAnswered(events: readonly ThreadEvent[]): boolean {
  const last = events.findLast(({ type }) => type === 'USER_MESSAGE' || type === 'AGENT_MESSAGE')
  return last?.type === 'AGENT_MESSAGE' && last.data.stopReason === 'end'
}

/** Follows through every kill, by the client's own reconnecting. */
class EventFollower {
  readonly threadId: string
  readonly ids: string[] = []

  constructor(client: Client, threadId: string, signal: AbortSignal) {
    this.threadId = threadId
    void this.#follow(client, signal)
  }

  async #follow(client: Client, signal: AbortSignal): Promise<void> {
    for await (const item of client.follow(this.threadId, 0, signal))
      if (item.kind === 'event') this.ids.push(item.event.id)
  }
}
