// The stores that several processes share: a SQLite file, and a PostgreSQL server with its own settings.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../postgres/server.ts'
import type { CrowdPlace } from './crowd-suite.ts'

export const sqliteCrowd: CrowdPlace = {
  name: 'SQLite',
  create: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'precis-crowd-'))
    const remove = async () => rmSync(folder, { recursive: true, force: true })
    return { address: join(folder, 'log.db'), remove }
  },
}

export const postgresCrowd: CrowdPlace = {
  name: 'PostgreSQL',
  create: async () => {
    const server = await startPostgres({})
    return { address: server.address('crowd'), remove: () => server.remove() }
  },
}
