// Reports what other processes did to followed threads: by notifications, and by polling in case one is lost.
import type { Client } from 'pg'
import type { Subscriptions } from '../follow.ts'
import type { Database, Statement } from './database.ts'
import { STATES } from './statements.ts'

const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 2_000

/**
 * A notification carries only the id of a thread; the follower reads on from its own position. A duplicate is
 * harmless, and a lost one (killed sender, broken connection) is made up for by the next poll of the
 * versions.
 */
export class ThreadNews {
  readonly #database: Database
  readonly #wakeups: Subscriptions
  readonly #pollMs: number
  #listening: Listening | undefined
  #looks: NodeJS.Timeout | undefined
  #isLooking = false
  #seen = new Map<string, string>() // thread id → its state at the last look

  constructor(database: Database, wakeups: Subscriptions, pollMs: number) {
    this.#database = database
    this.#wakeups = wakeups
    this.#pollMs = pollMs
  }

  start(): void {
    const { address } = this.#database
    this.#listening = new Listening(
      () => this.#database.client(),
      findChannel(address.schema),
      this.#wakeups,
    )
    this.#looks = setInterval(() => void this.#look(), this.#pollMs)
  }

  stop(): void {
    clearInterval(this.#looks)
    this.#listening?.end()
    this.#listening = undefined
    this.#seen.clear()
  }

  async #look(): Promise<void> {
    const threadIds = this.#wakeups.threadIds
    if (threadIds.length === 0 || this.#isLooking) return
    this.#isLooking = true
    const states = await this.#database
      .try((session) =>
        session.rows<{ threadId: string; key: number; version: number }>(STATES, [threadIds]),
      )
      .catch(() => undefined) // the followers' own reads meet the same failure, and tell it
    this.#isLooking = false
    if (!states) return
    const now = new Map(states.map(({ threadId, key, version }) => [threadId, `${key}/${version}`]))
    const before = this.#seen
    this.#seen = now
    for (const threadId of threadIds)
      if (now.get(threadId) !== before.get(threadId)) this.#wakeups.wake(threadId)
  }
}

/** One listening connection, reopened whenever it is lost. */
class Listening {
  readonly #newClient: () => Client
  readonly #channel: string
  readonly #wakeups: Subscriptions
  #client: Client | undefined
  #timer: NodeJS.Timeout | undefined
  #pauseMs = FIRST_PAUSE_MS
  #ended = false

  constructor(newClient: () => Client, channel: string, wakeups: Subscriptions) {
    this.#newClient = newClient
    this.#channel = channel
    this.#wakeups = wakeups
    void this.#connect()
  }

  end(): void {
    this.#ended = true
    clearTimeout(this.#timer)
    this.#drop()
  }

  async #connect(): Promise<void> {
    const client = this.#newClient()
    this.#client = client
    client.on('notification', ({ payload }) => {
      if (payload !== undefined) this.#wakeups.wake(payload)
    })
    client.on('error', () => this.#lost(client))
    client.on('end', () => this.#lost(client))
    try {
      await client.connect()
      await client.query(`LISTEN ${this.#channel}`)
      this.#pauseMs = FIRST_PAUSE_MS
      // Notifications may have been lost: wake all followers.
      this.#wakeups.wakeAll()
    } catch {
      this.#lost(client)
    }
  }

  #lost(client: Client): void {
    if (this.#ended || client !== this.#client) return
    this.#drop()
    this.#timer = setTimeout(() => void this.#connect(), this.#pauseMs)
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS)
  }

  #drop(): void {
    const client = this.#client
    this.#client = undefined
    client?.end().catch(() => undefined) // closed either way
  }
}

/** Notifications of one process are at least this far apart; those in between are merged. */
const TELL_EVERY_MS = 10

/**
 * Announces grown threads after the append, not inside it. NOTIFY in the append's transaction would serialise
 * all writers: its commit holds a lock shared by all notifications of the server while it waits for the disk.
 * For the same reason its own commit does not wait for the disk.
 */
export class Announcements {
  readonly #database: Database
  readonly #statement: Statement
  readonly #waiting = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #telling: Promise<void> | undefined

  constructor(database: Database) {
    this.#database = database
    const channel = findChannel(database.address.schema)
    this.#statement = {
      name: 'precis-tell',
      text: `WITH quick AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
        SELECT pg_notify('${channel}', thread_id) FROM quick, unnest($1::text[]) AS thread_id`,
    }
  }

  add(threadId: string): void {
    this.#waiting.add(threadId)
    if (this.#timer || this.#telling) return
    this.#tell()
  }

  /** Resolves when every announcement was sent or failed. */
  async settled(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#telling
    if (this.#waiting.size > 0) this.#tell()
    await this.#telling
  }

  #tell(): void {
    const threadIds = [...this.#waiting]
    this.#waiting.clear()
    this.#telling = this.#database
      .try((session) => session.rows(this.#statement, [threadIds]))
      .then(
        () => undefined,
        () => undefined, // followers poll, only later
      )
      .then(() => {
        this.#telling = undefined
        this.#timer = setTimeout(() => {
          this.#timer = undefined
          if (this.#waiting.size > 0) this.#tell()
        }, TELL_EVERY_MS)
      })
  }
}

function findChannel(schema: string): string {
  return `precis_${schema}`
}
