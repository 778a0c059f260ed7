// Leases: one owner at a time, until it gives back, or its time is over. The same rule for every store.

import { LIMITS } from './rows/limits.ts'
import { checkName, checkNumber } from './rows/stored-event.ts'

/** Who has it, until when, and for how long it was asked for. */
export interface Lease {
  readonly owner: string
  readonly expiresAtMs: number // ms since 1970
  readonly ttlMs: number
}

/** What a lease is known by to the one who holds it. */
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
 * The lease after somebody asked for it; its owner tells whether they got it. One that has longer
 * to run than it was taken for is from before the clock was set back: it is cut to its own length,
 * so that its owner, if it lives, has that long to renew it, and nobody waits for ever.
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

/** The leases of a store that lives in one process. */
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
