// The SQL on snapshots: the newest of each fold version, of the two latest fold versions.
import type { Database } from 'better-sqlite3'
import type { SnapshotCells } from '../rows/stored-event.ts'

export type SnapshotTable = ReturnType<typeof snapshotTable>

export function snapshotTable(db: Database) {
  const upsert = db.prepare<[number, number, number, string]>(
    `INSERT INTO snapshots (thread_key, fold_version, seq, state) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET seq = excluded.seq, state = excluded.state
     WHERE excluded.seq >= snapshots.seq`,
  )
  // Two programs of different age may use one store for a while; older fold versions are of no use.
  const prune = db.prepare<[number, number]>(
    `DELETE FROM snapshots WHERE thread_key = ? AND fold_version NOT IN
     (SELECT fold_version FROM snapshots WHERE thread_key = ? ORDER BY fold_version DESC LIMIT 2)`,
  )
  const byVersion = db.prepare<[number, number], SnapshotCells>(
    `SELECT seq, fold_version AS foldVersion, state FROM snapshots
     WHERE thread_key = ? AND fold_version = ?`,
  )
  const remove = db.prepare<[number]>('DELETE FROM snapshots WHERE thread_key = ?')
  return {
    find: (key: number, foldVersion: number) => byVersion.get(key, foldVersion),
    put: (key: number, { foldVersion, seq, state }: SnapshotCells): void => {
      upsert.run(key, foldVersion, seq, state)
      prune.run(key, key)
    },
    remove: (key: number) => remove.run(key),
  }
}
