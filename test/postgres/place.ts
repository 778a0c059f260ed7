// Stores on a PostgreSQL server that live as long as a test, each in a schema of its own.
import type { Store } from '../../src/core/ports.ts'
import type { StorePlace } from '../../src/stores/contract/place.ts'
import { openPostgresStore, type PostgresOptions } from '../../src/stores/postgres/open-postgres.ts'
import type { PostgresServer } from './server.ts'

let places = 0

export interface PostgresPlace extends StorePlace {
  readonly address: string
  readonly schema: string
}

export async function postgresPlace(
  server: PostgresServer,
  options: PostgresOptions = { pollMs: 50 },
): Promise<PostgresPlace> {
  places += 1
  const schema = `place_${places}`
  const address = server.address(schema)
  const opened: Store[] = []
  const again = async (): Promise<Store> => {
    const store = await openPostgresStore(address, options)
    opened.push(store)
    return store
  }
  const remove = async (): Promise<void> => {
    for (const store of opened) await store.close()
  }
  return { store: await again(), again, address, schema, remove }
}
