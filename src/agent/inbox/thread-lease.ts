// Work on a thread: one at a time, in this process and across processes.
import { PrecisError } from '../../core/errors.ts'
import type { AgentCore, Turn } from '../core.ts'
import type { Desk } from '../loop/thread-runtime.ts'
import { type HeldLease, holdLease } from './lease.ts'

export interface WorkOptions {
  readonly depth?: number
  /** Of whoever asked for it; the thread's own abort counts as well. */
  readonly signal?: AbortSignal
  readonly isBrief?: boolean
}

/** Another process works on the thread. */
export const BUSY = Symbol('busy')

const POLL_MS = 200

/** Runs it under the thread's lease. Nothing else may work on the thread in this process meanwhile. */
export async function workOn<T>(
  core: AgentCore,
  desk: Desk,
  run: (turn: Turn) => Promise<T>,
  { depth = 0, signal, isBrief = false }: WorkOptions = {},
): Promise<T | typeof BUSY> {
  if (desk.work) throw new PrecisError('internal', `Thread ${desk.threadId} is worked on already.`)
  const controller = new AbortController()
  const { promise: settled, resolve: settle } = Promise.withResolvers<void>()
  desk.work = { controller, settled, isBrief }
  desk.isOurs ||= !isBrief
  let lease: HeldLease | undefined
  try {
    lease = await leaseOf(core, desk)
    if (!lease) return BUSY
    const signals = [controller.signal, core.closing, lease.lost, ...(signal ? [signal] : [])]
    return await run({ core, desk, signal: AbortSignal.any(signals), lost: lease.lost, depth })
  } finally {
    try {
      // Before anybody else begins: they take it under the same name, and it would be given back.
      await lease?.release()
    } finally {
      delete desk.work
      settle()
    }
  }
}

/** The same, but waits for other processes, up to the limit. */
export async function workWhenFree<T>(
  core: AgentCore,
  desk: Desk,
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
  desk: Desk,
  run: (turn: Turn) => Promise<T>,
  options: WorkOptions & { readonly signal: AbortSignal },
): Promise<T> {
  const { clock } = core.ports
  const untilMs = clock.now().getTime() + core.limits.waitMs
  for (;;) {
    while (desk.work) await desk.work.settled
    if (options.signal.aborted)
      throw new PrecisError('aborted', 'It was aborted while it waited for the thread.')
    const result = await workOn(core, desk, run, options)
    if (result !== BUSY) return result
    if (clock.now().getTime() >= untilMs) throw busyElsewhere(desk)
    await clock.sleep(POLL_MS, options.signal)
  }
}

function leaseOf({ ports, limits, owner }: AgentCore, desk: Desk): Promise<HeldLease | undefined> {
  const { store, clock } = ports
  return holdLease({
    store,
    clock,
    name: `thread:${desk.threadId}`,
    owner,
    ttlMs: limits.leaseMs,
  })
}

export function busyElsewhere({ threadId }: Desk): PrecisError {
  return new PrecisError('store-busy', `Another process works on the thread ${threadId}.`, {
    where: threadId,
    hint: 'Wait until it is done, or stop it. After a crash the thread is free again within a minute.',
    retryable: true,
  })
}
