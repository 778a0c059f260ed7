// The cost of the agent's loop itself, everything but the model, and how it grows with the log.
import { fileURLToPath } from 'node:url'
import { benchmark } from '../benchmark.ts'
import { FULL, QUICK } from './settings.ts'

export const main = benchmark({
  name: 'agent',
  script: fileURLToPath(new URL('./figure-process.ts', import.meta.url)),
  full: { ...FULL },
  quick: { ...QUICK },
  groupOf: () => 'The loop',
})
