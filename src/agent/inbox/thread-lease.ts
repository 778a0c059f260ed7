// Exclusive work on a thread, in this process and across processes.
import { setTimeout } from 'node:timers/promises'
import { PrecisError } from '../../core/errors.ts'
import type { Clock, Store } from '../../core/ports.ts'
import type { AgentCore, Turn } from '../core.ts'
import type { ThreadRuntime } from '../thread-runtime.ts'

export interface WorkOptions {
  readonly depth?: number
  /** The caller's signal; the thread's own abort counts as well. */
  readonly signal?: AbortSignal
  readonly isBrief?: boolean
}

/** Another process works on the thread. */
export const BUSY = Symbol('busy')

const POLL_MS = 200

/** Runs it under the thread's lease. Nothing else may work on the thread in this process. */
export async function withThreadLease<T>(
  core: AgentCore,
  desk: ThreadRuntime,
  run: (turn: Turn) => Promise<T>,
  { depth = 0, signal, isBrief = false }: WorkOptions = {},
): Promise<T | typeof BUSY> {
  if (desk.work) throw new PrecisError('internal', `Thread ${desk.threadId} is already in use.`)
  const controller = new AbortController()
  const { promise: settled, resolve: settle } = Promise.withResolvers<void>()
  desk.work = { controller, settled, isBrief }
  desk.isOurs ||= !isBrief
  let lease: HeldLease | undefined
  try {
    lease = await buildLease(core, desk)
    if (!lease) return BUSY
    const signals = [controller.signal, core.closing, lease.lost, ...(signal ? [signal] : [])]
    return await run({ core, desk, signal: AbortSignal.any(signals), lost: lease.lost, depth })
  } finally {
    try {
      // Before others in this process start: they use the same lease name.
      await lease?.release()
    } finally {
      delete desk.work
      settle()
    }
  }
}

/** The same, but waits for other processes up to the limit. */
export async function workWhenFree<T>(
  core: AgentCore,
  desk: ThreadRuntime,
  run: (turn: Turn) => Promise<T>,
  options: WorkOptions = {},
): Promise<T> {
  const own = new AbortController()
  const given = options.signal ? [options.signal] : []
  const signal = AbortSignal.any([own.signal, core.closing, ...given])
  desk.waiting.add(own)
  try {
    return await workOnceFree(core, desk, run, { ...options, signal })
  } finally {
    desk.waiting.delete(own)
  }
}

async function workOnceFree<T>(
  core: AgentCore,
  desk: ThreadRuntime,
  run: (turn: Turn) => Promise<T>,
  options: WorkOptions & { readonly signal: AbortSignal },
): Promise<T> {
  const { clock } = core.ports
  const untilMs = clock.now().getTime() + core.limits.waitMs
  for (let isTold = false; ; isTold = true) {
    while (desk.work) await desk.work.settled
    if (options.signal.aborted)
      throw new PrecisError('aborted', 'It was aborted while it waited for the thread.')
    const result = await withThreadLease(core, desk, run, options)
    if (result !== BUSY) return result
    if (clock.now().getTime() >= untilMs) throw busyElsewhere(desk)
    if (!isTold) tellWaiting(core, desk)
    await clock.sleep(POLL_MS, options.signal)
  }
}

function buildLease(
  { ports, limits, owner }: AgentCore,
  desk: ThreadRuntime,
): Promise<HeldLease | undefined> {
  const { store, clock } = ports
  return holdLease({
    store,
    clock,
    name: `thread:${desk.threadId}`,
    owner,
    ttlMs: limits.leaseMs,
  })
}

/** A killed process holds the thread until its lease ends: tells waiting users why. */
export function tellWaiting({ frames, limits }: AgentCore, { threadId }: ThreadRuntime): void {
  const seconds = Math.ceil(limits.leaseMs / 1_000)
  const message = `Another process works on this thread; waiting for it. After a crash that takes up to ${seconds} s.`
  frames.emit({ type: 'notice', threadId, level: 'info', message })
}

export function busyElsewhere({ threadId }: ThreadRuntime): PrecisError {
  return new PrecisError('store-busy', `Another process works on the thread ${threadId}.`, {
    where: threadId,
    hint: 'Wait until it is done, or stop it. After a crash the thread is free again within a minute.',
    retryable: true,
  })
}

/** Holds a lease while its owner works: renews it, and signals its loss. */
export interface HeldLease {
  /** Fires if the lease could not be renewed: another process may work now. */
  readonly lost: AbortSignal
  release(): Promise<void>
}

interface LeaseOptions {
  readonly store: Pick<Store, 'takeLease' | 'releaseLease'>
  readonly clock: Clock
  readonly name: string
  readonly owner: string
  readonly ttlMs: number
}

/** Undefined if another owner holds it. */
export async function holdLease(options: LeaseOptions): Promise<HeldLease | undefined> {
  const { store, clock, name, owner, ttlMs } = options
  const takenMs = clock.now().getTime()
  if (!(await store.takeLease(name, owner, ttlMs))) return undefined
  const stop = new AbortController()
  const lost = new AbortController()
  const renewing = renew(options, takenMs, stop.signal).then((held) => {
    if (!held) lost.abort()
  })
  return {
    lost: lost.signal,
    async release() {
      stop.abort()
      await renewing
      await store.releaseLease(name, owner)
    },
  }
}

/** Three attempts per lifetime. False if the lease is lost, true if it was released. */
async function renew(options: LeaseOptions, takenMs: number, stop: AbortSignal): Promise<boolean> {
  const { clock, ttlMs } = options
  let renewedMs = takenMs
  for (;;) {
    await clock.sleep(ttlMs / 3, stop)
    if (stop.aborted) return true
    const askedMs = clock.now().getTime()
    // A failing store may answer at the next attempt: the lease holds until its end.
    const held = await takeAgain(options)
    if (held === false) return false
    if (held) renewedMs = askedMs
    else if (clock.now().getTime() - renewedMs >= ttlMs) return false
  }
}

/** A working store answers within this, even on a busy machine. */
const LEAST_PATIENCE_MS = 5_000

/** Undefined if the store fails, or does not answer within a lease's lifetime. */
async function takeAgain({
  store,
  clock,
  name,
  owner,
  ttlMs,
}: LeaseOptions): Promise<boolean | undefined> {
  const answered = new AbortController()
  const patienceMs = Math.max(ttlMs, LEAST_PATIENCE_MS)
  const silence = clock.sleep(patienceMs, answered.signal).then(() => undefined)
  const taken = store.takeLease(name, owner, ttlMs).catch(() => undefined)
  try {
    return await Promise.race([taken, silence])
  } finally {
    answered.abort()
  }
}

/** Rejects with `aborted` when the signal fires, or `graceMs` later to allow last output. */
export async function unlessAborted<T>(
  signal: AbortSignal,
  work: Promise<T>,
  graceMs = 0,
): Promise<T> {
  const over = new AbortController()
  const fired = new Promise<void>((fire) => {
    if (signal.aborted) fire()
    else signal.addEventListener('abort', () => fire(), { signal: over.signal, once: true })
  })
  const aborted = fired.then(async () => {
    await setTimeout(graceMs, undefined, { signal: over.signal, ref: false }).catch(() => undefined)
    throw new PrecisError('aborted', 'It was aborted.')
  })
  work.catch(() => undefined) // the caller may be gone
  aborted.catch(() => undefined)
  try {
    return await Promise.race([work, aborted])
  } finally {
    over.abort()
  }
}
