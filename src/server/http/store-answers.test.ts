// Whether a store answers: also asked by a process that has much else to do.
import { expect, it } from 'vitest'
import { within } from '../../../test/wait.ts'
import type { Store } from '../../core/ports.ts'
import { systemClock } from '../../system.ts'
import { requireAnswer } from './store-answers.ts'

const WITHIN_MS = 40

/** Nothing else is done meanwhile, as in a long compaction. */
function compute(forMs: number): void {
  const endMs = performance.now() + forMs
  while (performance.now() < endMs);
}

it('hears an answer that came while the process itself was busy for longer', async () => {
  const store: Pick<Store, 'info'> = {
    info: () => new Promise((resolve) => setImmediate(() => resolve(undefined))),
  }
  const asked = new Promise((resolve) => {
    setImmediate(() => {
      resolve(requireAnswer({ store, clock: systemClock }, WITHIN_MS).then(() => 'answered'))
      compute(4 * WITHIN_MS)
    })
  })
  expect(await within('an answer', asked)).toBe('answered')
})
