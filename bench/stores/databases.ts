// The databases that are measured: a store on each, and the bare driver beside it.
import { join } from 'node:path'
import type { Store } from '../../src/core/ports.ts'
import { openStore } from '../../src/stores/index.ts'
import type { PostgresServer } from '../../test/postgres/server.ts'
import { type Bare, barePostgres, bareSqlite } from './bare.ts'

export interface BenchDatabase {
  readonly id: string
  readonly name: string
  /** The address of a store, empty at first. */
  address(name: string): string
  open(name: string): Promise<Store>
  readonly bare: Bare
  /** Where another process finds the bare table: the path of a file, or an address. */
  readonly bareAddress: string
}

export function sqliteDatabase(folder: string): BenchDatabase {
  const address = (name: string) => join(folder, `${name}.db`)
  const bareAddress = address('bare')
  return {
    id: 'sqlite',
    name: 'SQLite',
    address,
    open: (name) => openStore(address(name)),
    bare: bareSqlite(bareAddress),
    bareAddress,
  }
}

export async function postgresDatabase(server: PostgresServer): Promise<BenchDatabase> {
  const bareAddress = server.address('x').split('?')[0] ?? ''
  return {
    id: 'postgres',
    name: 'PostgreSQL',
    address: (name) => server.address(name),
    open: (name) => openStore(server.address(name)),
    bare: await barePostgres(bareAddress),
    bareAddress,
  }
}
