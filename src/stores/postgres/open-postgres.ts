// Opens a store on PostgreSQL. The driver is loaded only when one is opened.
import { checkNames } from '../../core/options.ts'
import type { Store } from '../../core/ports.ts'
import { LIMITS } from '../rows/limits.ts'
import { checkNumber } from '../rows/stored-event.ts'
import { readAddress } from './connection.ts'

export interface PostgresOptions {
  /** Connections that one process uses at most, besides one for followers. Default 8. */
  readonly connections?: number
  /** How long a call waits for the locks of others before it is `store-busy`. Default 10 s. */
  readonly busyTimeoutMs?: number
  /** How long a call is tried again while the server cannot be reached. Default 30 s. */
  readonly retryForMs?: number
  /** How often followers look for what no notification told them. Default 2 s. */
  readonly pollMs?: number
  /** Makes no new store where there is none. */
  readonly mustExist?: boolean
}

/** Connects, and makes the tables where they are missing: `postgres://…/DATABASE?schema=NAME`. */
export async function openPostgresStore(
  address: string,
  options: PostgresOptions = {},
): Promise<Store> {
  checkNames('openPostgresStore', options, [
    'connections',
    'busyTimeoutMs',
    'retryForMs',
    'pollMs',
    'mustExist',
  ])
  const { connections = 8, busyTimeoutMs = 10_000, retryForMs = 30_000, pollMs = 2_000 } = options
  checkNumber('connections', connections, 1, 1_000)
  checkNumber('busyTimeoutMs', busyTimeoutMs, 1, LIMITS.timerMs)
  checkNumber('retryForMs', retryForMs, 0, LIMITS.timerMs)
  checkNumber('pollMs', pollMs, 1, LIMITS.timerMs)
  const { mustExist = false } = options
  const parsed = readAddress(address)
  const { openDatabase } = await import('./database.ts')
  const { PostgresStore } = await import('./store.ts')
  const database = await openDatabase(parsed, { connections, busyTimeoutMs, retryForMs, mustExist })
  return new PostgresStore(database, pollMs)
}
