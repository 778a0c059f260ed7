// The SQL on leases, and taking one inside a transaction.
import type { Database } from 'better-sqlite3'
import { type Lease, type LeaseKey, type LeaseRequest, leaseAfter } from '../leases.ts'

export type LeaseTable = ReturnType<typeof leaseTable>

export function leaseTable(db: Database) {
  const byName = db.prepare<[string], Lease>(
    'SELECT owner, expires_at_ms AS expiresAtMs, ttl_ms AS ttlMs FROM leases WHERE name = ?',
  )
  const upsert = db.prepare<[string, string, number, number]>(
    `INSERT INTO leases (name, owner, expires_at_ms, ttl_ms) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET owner = excluded.owner, expires_at_ms = excluded.expires_at_ms,
     ttl_ms = excluded.ttl_ms`,
  )
  const removeOver = db.prepare<[number]>('DELETE FROM leases WHERE expires_at_ms <= ?')
  const remove = db.prepare<[string, string]>('DELETE FROM leases WHERE name = ? AND owner = ?')
  return {
    /** True where the owner of the request has it then. */
    take: (request: LeaseRequest, nowMs: number): boolean => {
      const held = byName.get(request.name)
      const lease = leaseAfter(held, request, nowMs)
      // Owners that died give nothing back: their rows go here.
      if (lease.owner === request.owner) removeOver.run(nowMs)
      if (lease !== held) upsert.run(request.name, lease.owner, lease.expiresAtMs, lease.ttlMs)
      return lease.owner === request.owner
    },
    release: ({ name, owner }: LeaseKey): void => {
      remove.run(name, owner)
    },
  }
}
