// Opens the store that an address names.
import { resolve } from 'node:path'
import type { Store } from '../core/ports.ts'
import { shownAddress } from '../core/text/address.ts'
import { usageError } from './errors.ts'
import { memoryStore } from './memory/memory.ts'
import { openSqliteStore } from './sqlite/store.ts'

/** Two letters at least: `C:\logs` is a path. */
const SCHEME = /^([a-z][a-z0-9+.-]+):(.*)$/is

export interface StoreOptions {
  readonly mustExist?: boolean // on PostgreSQL; a file can be looked for
  readonly cwd?: string // where a relative path begins; without it, in the working directory
}

/** `memory:`, `sqlite:PATH` or just the path of a SQLite file, `postgres://…`. */
export async function openStore(address: string, options: StoreOptions = {}): Promise<Store> {
  const [, name, rest = ''] = SCHEME.exec(address) ?? []
  const scheme = name?.toLowerCase()
  if (scheme === undefined && address !== ':memory:')
    return openSqliteStore(pathFrom(address, options))
  if (scheme === 'memory' && rest === '') return memoryStore()
  if (scheme === 'sqlite') return openSqliteStore(pathFrom(rest, options))
  if (scheme === 'postgres' || scheme === 'postgresql') {
    const { openPostgresStore } = await import('./postgres/open-postgres.ts') // its driver takes a while
    return openPostgresStore(address, options)
  }
  // Not the whole address: it may hold a password.
  throw usageError(
    `There is no store for addresses like ${scheme === undefined ? shownAddress(address) : `${scheme}:…`}.`,
    'Use `memory:`, `sqlite:PATH` or the path of a file, or `postgres://HOST/DATABASE`.',
  )
}

/** An address without its scheme, or as libpq writes it, would become the name of a file. */
function pathFrom(path: string, { cwd }: StoreOptions): string {
  if (shownAddress(path) !== path)
    throw usageError(
      'The address of the store is neither a path nor an address with a scheme.',
      'Write postgres://USER:PASSWORD@HOST:PORT/DATABASE; or ./ before the name of a file.',
    )
  return cwd === undefined || path === '' ? path : resolve(cwd, path)
}
