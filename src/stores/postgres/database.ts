// The connection pool: prepared statements, transactions, and calls that survive a restart of the server.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { storeClosed } from '../errors.ts'
import { Backpressure } from '../rows/backpressure.ts'
import { clientConfig, type DatabaseOptions, type PostgresAddress, settle } from './connection.ts'
import { isLost, isStarting, isUndone, storeFailure } from './failures.ts'
import { prepareSchema } from './schema.ts'

/** Prepared once per connection, under its name. */
export interface Statement {
  readonly name: string
  readonly text: string
}

/** One connection, for the duration of a call. */
export class Session {
  readonly #client: pg.ClientBase

  constructor(client: pg.ClientBase) {
    this.#client = client
  }

  async rows<R extends pg.QueryResultRow>(
    statement: Statement,
    values: readonly unknown[],
  ): Promise<R[]> {
    return (await this.#client.query<R>({ ...statement, values: [...values] })).rows
  }

  /** Rows as tuples. */
  async tuples<R extends readonly unknown[]>(
    statement: Statement,
    values: readonly unknown[],
  ): Promise<R[]> {
    const query = { ...statement, values: [...values], rowMode: 'array' as const }
    return (await this.#client.query(query)).rows as unknown[] as R[]
  }

  /** Unprepared. Without values it may hold several statements. */
  async sql(text: string, values?: unknown[]): Promise<{ rows: pg.QueryResultRow[] }> {
    const { rows = [] } = await this.#client.query(text, values)
    return { rows }
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.#client.query('BEGIN')
    try {
      const value = await work()
      await this.#client.query('COMMIT')
      return value
    } catch (thrown) {
      if (!isLost(thrown)) await this.#client.query('ROLLBACK')
      throw thrown
    }
  }
}

const LEAST_PAUSE_MS = 20
const MOST_PAUSE_MS = 500
/** Connects once and migrates the schema to the current version. */
export async function openDatabase(
  address: PostgresAddress,
  options: DatabaseOptions,
): Promise<Database> {
  const database = new Database(address, options)
  try {
    await database.prepare()
    return database
  } catch (thrown) {
    await database.close()
    throw thrown
  }
}

export class Database {
  readonly address: PostgresAddress
  readonly #options: DatabaseOptions
  readonly #pool: pg.Pool
  readonly #crowd: Backpressure
  readonly #underWay = new Set<Promise<unknown>>()
  #closing: Promise<void> | undefined

  constructor(address: PostgresAddress, options: DatabaseOptions) {
    this.address = address
    this.#options = options
    this.#crowd = new Backpressure(address.shown)
    this.#pool = new pg.Pool({
      ...clientConfig(address, options),
      max: options.connections,
      allowExitOnIdle: true,
      onConnect: (client: pg.ClientBase) => settle(client, address),
    })
    // A connection that breaks while idle leaves the pool, and the next call opens a new one. One that breaks
    // during a call fails its next statement.
    this.#pool.on('error', () => undefined)
    this.#pool.on('connect', (client) => client.on('error', () => undefined))
  }

  prepare(): Promise<void> {
    return this.#retry(
      () => this.#once((_, client) => prepareSchema(client, this.address, this.#options)),
      // A wrong address fails at once; a starting server is waited for.
      isStarting,
    )
  }

  /**
   * Runs the work on a connection, and again if the connection was lost or the transaction undone. The work
   * must be safe to repeat. `length` is its payload in characters.
   */
  run<T>(work: (session: Session) => Promise<T>, length = 0): Promise<T> {
    return this.#track(length, () =>
      this.#retry(
        () => this.#once(work),
        (thrown) => isLost(thrown) || isUndone(thrown),
      ),
    )
  }

  /** Runs it once, without retry. */
  try<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#track(0, () => this.#retry(() => this.#once(work), nothing))
  }

  /** A separate, unopened connection for listeners. */
  client(): pg.Client {
    return new pg.Client(clientConfig(this.address, this.#options))
  }

  /** Resolves when no call is under way. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay)
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end(): Promise<void> {
    await this.idle()
    await this.#pool.end()
  }

  async #track<T>(length: number, work: () => Promise<T>): Promise<T> {
    if (this.#closing) throw storeClosed()
    this.#crowd.enter(length)
    const running = work()
    this.#underWay.add(running)
    try {
      return await running
    } finally {
      this.#underWay.delete(running)
      this.#crowd.leave(length)
    }
  }

  async #once<T>(work: (session: Session, client: pg.ClientBase) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect()
    let broken = false
    try {
      return await work(new Session(client), client)
    } catch (thrown) {
      broken = isLost(thrown)
      throw thrown
    } finally {
      client.release(broken)
    }
  }

  async #retry<T>(attempt: () => Promise<T>, again: (thrown: unknown) => boolean): Promise<T> {
    const deadline = performance.now() + this.#options.retryForMs
    for (let pauseMs = LEAST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MOST_PAUSE_MS)) {
      try {
        return await attempt()
      } catch (thrown) {
        if (!again(thrown) || performance.now() >= deadline) {
          throw storeFailure(thrown, this.address)
        }
        await sleep(pauseMs * (0.5 + Math.random()))
      }
    }
  }
}

function nothing(): boolean {
  return false
}
