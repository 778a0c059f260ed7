// Finding, listing and syncing 1,000 sessions of other agents, beside find and stat of the same files.
import { fileURLToPath } from 'node:url'
import { benchmark } from '../benchmark.ts'
import { FULL, QUICK } from './settings.ts'

export const RESULTS = fileURLToPath(new URL('../results/sessions.jsonl', import.meta.url))

export const main = benchmark({
  name: 'sessions',
  script: fileURLToPath(new URL('./figure-process.ts', import.meta.url)),
  full: { ...FULL },
  quick: { ...QUICK },
  groupOf: ({ reference }) => `Sessions of other agents, beside ${reference.what}`,
})
