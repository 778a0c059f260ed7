// Leases: one owner at a time, until it releases the lease or the lease expires. All stores use the same
// rule.

import { LIMITS } from './rows/limits.ts'
import { checkName, checkNumber } from './rows/stored-event.ts'

/** The owner, the end, and the requested length. */
export interface Lease {
  readonly owner: string
  readonly expiresAtMs: number // ms since 1970
  readonly ttlMs: number
}

/** What a holder needs to renew or release a lease. */
export interface LeaseKey {
  readonly name: string
  readonly owner: string
}

export interface LeaseRequest extends LeaseKey {
  readonly ttlMs: number
}

export function leaseKey(name: string, owner: string): LeaseKey {
  checkName('the name of a lease', name)
  checkName('the owner of a lease', owner)
  return { name, owner }
}

export function leaseRequest(name: string, owner: string, ttlMs: number): LeaseRequest {
  checkNumber('ttlMs', ttlMs, 1, LIMITS.leaseMs)
  return { ...leaseKey(name, owner), ttlMs }
}

/**
 * The lease after a request; its owner tells whether the request succeeded. A lease that would run longer
 * than its requested length was taken before the clock was set back. It is cut to that length, so a living
 * owner has time to renew it and others do not wait for ever.
 */
export function leaseAfter(
  held: Lease | undefined,
  { owner, ttlMs }: LeaseRequest,
  nowMs: number,
): Lease {
  if (!held || held.owner === owner || isOver(held, nowMs)) {
    return { owner, expiresAtMs: nowMs + ttlMs, ttlMs }
  }
  const latestMs = nowMs + held.ttlMs
  return held.expiresAtMs > latestMs ? { ...held, expiresAtMs: latestMs } : held
}

/** The leases of a store in one process. */
export class Leases {
  readonly #held = new Map<string, Lease>()
  readonly #nowMs: () => number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  take(request: LeaseRequest): boolean {
    const nowMs = this.#nowMs()
    const lease = leaseAfter(this.#held.get(request.name), request, nowMs)
    for (const [name, other] of this.#held) if (isOver(other, nowMs)) this.#held.delete(name)
    this.#held.set(request.name, lease)
    return lease.owner === request.owner
  }

  release({ name, owner }: LeaseKey): void {
    if (this.#held.get(name)?.owner === owner) this.#held.delete(name)
  }
}

function isOver(lease: Lease, nowMs: number): boolean {
  return lease.expiresAtMs <= nowMs
}
