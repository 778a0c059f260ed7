// What the command costs: a session in and out beside parsing it, its start beside Node's, its memory.
import { fileURLToPath } from 'node:url'
import { benchmark } from '../benchmark.ts'
import { FULL, QUICK } from './settings.ts'

export const RESULTS = fileURLToPath(new URL('../results/cli.jsonl', import.meta.url))

export const main = benchmark({
  name: 'cli',
  script: fileURLToPath(new URL('./figure-process.ts', import.meta.url)),
  full: { ...FULL },
  quick: { ...QUICK },
  groupOf: () => 'The command line',
})
