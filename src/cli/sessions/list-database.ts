// The sessions in OpenCode's database, as `precis sessions` lists them
import { type DatabaseSession, openDatabase } from '../session/opencode-database.ts'
import type { FoundSession } from './found-session.ts'

/** Every session of the database, as `precis sessions` lists it; those of sub-agents for their costs alone. */
export async function listDatabase(
  database: DatabaseSession,
  agent: string,
  subAgents = false,
): Promise<FoundSession[]> {
  const db = await openDatabase(database, { readonly: true })
  try {
    const sizes = `(SELECT SUM(OCTET_LENGTH(data)) FROM part WHERE session_id = session.id)
      + (SELECT SUM(OCTET_LENGTH(data)) FROM message WHERE session_id = session.id)`
    const sql = `SELECT id, title, directory AS project, time_updated AS updatedMs, ${sizes} AS bytes, parent_id AS parent
      FROM session${subAgents ? '' : ' WHERE parent_id IS NULL'}`
    const rows = db.prepare(sql).all() as DatabaseRow[]
    return rows.map(({ parent, ...row }) => {
      const path = `${database.file}#${row.id}`
      const isSubAgent = parent !== null && { isSubAgent: true }
      return { ...row, bytes: row.bytes ?? 0, path, agent, ...isSubAgent }
    })
  } finally {
    db.close()
  }
}

interface DatabaseRow {
  readonly id: string
  readonly title: string
  readonly project: string
  readonly updatedMs: number
  readonly bytes: number | null // of one that is empty
  readonly parent: string | null
}
