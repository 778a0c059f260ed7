// A store on PostgreSQL whose events can be altered behind its back
import pg from 'pg'
import type { Store } from '../../src/core/ports.ts'
import { postgresPlace } from '../postgres/place.ts'
import { startPostgres } from '../postgres/server.ts'

/** Removes all of it at the end. */
export async function withAlterablePostgres(
  use: (store: Store, db: pg.Client) => Promise<void>,
): Promise<void> {
  const server = await startPostgres({ fsync: 'off' })
  const place = await postgresPlace(server)
  const db = new pg.Client({ connectionString: place.address.split('?')[0] })
  try {
    await db.connect()
    await db.query(`SET search_path TO ${place.schema}`)
    await db.query('DROP TRIGGER events_never_change ON events')
    await use(place.store, db)
  } finally {
    await db.end()
    await place.remove()
    await server.remove()
  }
}
