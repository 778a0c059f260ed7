// Where the children work that are killed: a SQLite file, or a PostgreSQL server that crashes now and then.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { expect } from 'vitest'
import { startPostgres } from '../postgres/server.ts'
import { until } from '../wait.ts'
import type { KillPlace } from './harness.ts'

export async function sqliteKillPlace(): Promise<KillPlace> {
  const folder = mkdtempSync(join(tmpdir(), 'precis-kill-'))
  const address = join(folder, 'log.db')
  return {
    address,
    checkPlace: () => {
      if (!existsSync(address)) return
      const db = new Sqlite(address)
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
      db.close()
    },
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

export async function postgresKillPlace(): Promise<KillPlace> {
  const server = await startPostgres({})
  return {
    address: server.address('killed'),
    disturb: async () => {
      await server.stop('immediate')
      await server.start()
    },
    settle: async () => {
      const sessions = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'precis'`
      await until('the end of all sessions', async () => !(await server.query(sessions)).length)
    },
    remove: () => server.remove(),
  }
}
