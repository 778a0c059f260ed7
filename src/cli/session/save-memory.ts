// Reads long files in little memory: limits heap growth and collects garbage on the way
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const LARGE_BYTES = 16_000_000
const BETWEEN_BYTES = 8_000_000
/** How much may come on top of what is alive, before the dead is looked for: left alone, it is several times as much. */
const GROWING_PERCENT = 10

/** Called with how far the file was read. */
export type Passed = (bytes: number) => void

/**
 * While a file streams through, nearly everything dies young, and while it is compacted most of it does. Left
 * alone, the heaps of this thread and of the database's grow by hundreds of megabytes all the same, before
 * anybody looks for what is dead. It takes longer so.
 */
export function saveMemoryFor(bytes: number | undefined): Passed {
  if ((bytes ?? 0) <= LARGE_BYTES) return () => undefined
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`)
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  let collected = 0
  return (passed) => {
    if (passed - collected < BETWEEN_BYTES) return
    collected = passed
    collect()
  }
}
