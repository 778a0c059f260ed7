// Opens a store on PostgreSQL. The driver is loaded on first use.
import { checkNames } from '../../core/options.ts'
import type { Store } from '../../core/ports.ts'
import { LIMITS } from '../rows/limits.ts'
import { checkNumber } from '../rows/stored-event.ts'
import { readAddress } from './connection.ts'

export interface PostgresOptions {
  /** Connections of one process, not counting one for followers. Default 8. */
  readonly connections?: number
  /** How long a call waits for locks before it fails with `store-busy`. Default 10 s. */
  readonly busyTimeoutMs?: number
  /** How long a call is retried while the server is unreachable. Default 30 s. */
  readonly retryForMs?: number
  /** How often followers poll in case a notification was lost. Default 2 s. */
  readonly pollMs?: number
  /** A missing store is an error instead of being created. */
  readonly mustExist?: boolean
}

/** Connects and creates missing tables: `postgres://…/DATABASE?schema=NAME`. */
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
