// The cost of drawing the chat: one more token under a long transcript and a short one, and beside ink.
import { fileURLToPath } from 'node:url'
import { benchmark } from '../benchmark.ts'
import { FULL, QUICK } from './settings.ts'

export const main = benchmark({
  name: 'tui',
  script: fileURLToPath(new URL('./figure-process.ts', import.meta.url)),
  full: { ...FULL },
  quick: { ...QUICK },
  groupOf: ({ id }) => (id.startsWith('ink') ? 'Beside ink, the same screen' : 'One more token'),
})
