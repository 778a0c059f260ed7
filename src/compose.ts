// Wires the parts together: the only file that knows every plug-in.
import { PrecisError } from './core/errors.ts'
import type { Store } from './core/ports.ts'
import type { Format } from './formats/format.ts'
import { FORMATS } from './formats/index.ts'
import { memoryStore } from './stores/memory.ts'
import { DEFAULT_STRATEGIES } from './strategies/index.ts'
import { randomIds, systemClock } from './system.ts'
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
