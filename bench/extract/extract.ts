// The cost of `extract`: time beside JSON.parse, growth, a second compaction, memory.
import { fileURLToPath } from 'node:url'
import { benchmark } from '../benchmark.ts'
import { FULL, QUICK } from './settings.ts'

export const main = benchmark({
  name: 'extract',
  script: fileURLToPath(new URL('./figure-process.ts', import.meta.url)),
  full: { ...FULL },
  quick: { ...QUICK },
  groupOf: ({ unit }) => (unit === 'kB' ? 'Memory' : 'Time'),
})
