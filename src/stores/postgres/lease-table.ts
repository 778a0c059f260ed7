// Leases use the clock of the database, because the clocks of the processes may differ.
import type { LeaseKey, LeaseRequest } from '../leases.ts'
import type { Session, Statement } from './database.ts'

const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** The time of the request: one for the whole statement. */
const ASKED_MS = '(excluded.expires_at_ms - excluded.ttl_ms)'

const IS_FREE = `(held.owner = excluded.owner OR held.expires_at_ms <= ${ASKED_MS})`

/**
 * The rule of `leaseAfter` as one statement, so a process that waited for another sees its result. A lease
 * that would run longer than requested is cut. Expired leases of dead owners are deleted here, unless another
 * process has the row locked.
 */
const TAKE: Statement = {
  name: 'precis-take-lease',
  text: `WITH gone AS (
      DELETE FROM leases WHERE name IN (SELECT name FROM leases
        WHERE expires_at_ms <= ${NOW_MS} AND name <> $1 LIMIT 100 FOR UPDATE SKIP LOCKED))
    INSERT INTO leases AS held (name, owner, expires_at_ms, ttl_ms)
    VALUES ($1, $2, ${NOW_MS} + $3::bigint, $3::bigint)
    ON CONFLICT (name) DO UPDATE SET
      owner = CASE WHEN ${IS_FREE} THEN excluded.owner ELSE held.owner END,
      expires_at_ms = CASE WHEN ${IS_FREE} THEN excluded.expires_at_ms
        ELSE ${ASKED_MS} + held.ttl_ms END,
      ttl_ms = CASE WHEN ${IS_FREE} THEN excluded.ttl_ms ELSE held.ttl_ms END
    WHERE ${IS_FREE} OR held.expires_at_ms > ${ASKED_MS} + held.ttl_ms
    RETURNING owner`,
}

const RELEASE: Statement = {
  name: 'precis-release-lease',
  text: 'DELETE FROM leases WHERE name = $1 AND owner = $2',
}

/** True if the requesting owner holds it now. */
export async function takeLease(
  session: Session,
  { name, owner, ttlMs }: LeaseRequest,
): Promise<boolean> {
  const [lease] = await session.rows<{ owner: string }>(TAKE, [name, owner, ttlMs])
  return lease?.owner === owner
}

export async function releaseLease(session: Session, { name, owner }: LeaseKey): Promise<void> {
  await session.rows(RELEASE, [name, owner])
}
