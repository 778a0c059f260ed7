// The stores beside bare databases, and what several processes and a search cost on them.
import { fileURLToPath } from 'node:url'
import { benchmark } from '../benchmark.ts'
import { FULL, QUICK } from './settings.ts'

export const main = benchmark({
  name: 'stores',
  script: fileURLToPath(new URL('./figure-process.ts', import.meta.url)),
  full: { ...FULL },
  quick: { ...QUICK },
  groupOf: ({ id }) => GROUPS[id.split('-')[0] ?? ''] ?? 'The rest',
})

const GROUPS: Readonly<Record<string, string>> = {
  append: 'Appending',
  chain: 'The hash chain',
  crowd: 'Several processes',
  open: 'Opening',
  search: 'Searching',
  follow: 'Following in another process',
}
