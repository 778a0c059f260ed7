// Wires the parts together: the only file that knows every plug-in.
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { PrecisError } from './core/errors.ts'
import type { Clock, Ids, Store } from './core/ports.ts'
import type { Format } from './formats/format.ts'
import { FORMATS } from './formats/index.ts'
import { memoryStore } from './stores/memory.ts'
import { DEFAULT_STRATEGIES } from './strategies/index.ts'
import { createThreads, type Threads } from './threads/threads.ts'

export interface Composed {
  readonly threads: Threads
  /** Throws `unknown-format` with the known ones. */
  format(id: string): Format
  close(): Promise<void>
}

export interface ComposeOptions {
  readonly store?: Store
}

export function compose({ store = memoryStore() }: ComposeOptions = {}): Composed {
  const threads = createThreads({
    store,
    clock: systemClock,
    ids: randomIds,
    strategies: DEFAULT_STRATEGIES,
  })
  return { threads, format: findFormat, close: () => store.close() }
}

function findFormat(id: string): Format {
  const format = FORMATS.find((known) => known.id === id)
  if (format) return format
  throw new PrecisError('unknown-format', `Unknown format: ${id}`, {
    where: id,
    hint: `Known formats: ${FORMATS.map((known) => known.id).join(', ')}.`,
  })
}

const systemClock: Clock = {
  now: () => new Date(),
  async sleep(ms, signal) {
    const waking = new AbortController()
    const wake = () => waking.abort()
    signal?.addEventListener('abort', wake)
    if (signal?.aborted) wake()
    await setTimeout(ms, undefined, { signal: waking.signal }).catch((error: unknown) => {
      if (!waking.signal.aborted) throw error
    })
    signal?.removeEventListener('abort', wake)
  },
}

const randomIds: Ids = {
  next: (prefix) => `${prefix}_${randomUUID().replaceAll('-', '')}`,
}
