// The store on PostgreSQL keeps the contract.
import { afterAll, beforeAll, describe } from 'vitest'
import { postgresPlace } from '../../../test/postgres/place.ts'
import { type PostgresServer, startPostgres } from '../../../test/postgres/server.ts'
import { requirement } from '../../../test/require.ts'
import { storeContract } from '../contract.ts'

const { available, notice } = requirement('postgres')

describe.skipIf(!available)(`PostgreSQL ${notice}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.remove())

  storeContract('PostgreSQL', { durable: true, create: () => postgresPlace(server) })
})
