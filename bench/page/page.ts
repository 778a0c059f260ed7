// The cost of scrolling in the page: a thread of 100,000 events beside one of 1,000.
import { fileURLToPath } from 'node:url'
import { requirement } from '../../test/require.ts'
import { benchmark } from '../benchmark.ts'
import { FULL, QUICK } from './settings.ts'

const CHROMIUM = requirement('chromium')

const measured = benchmark({
  name: 'page',
  script: fileURLToPath(new URL('./figure-process.ts', import.meta.url)),
  full: { ...FULL },
  quick: { ...QUICK },
  groupOf: () => 'One frame while scrolling',
})

export async function main(args: readonly string[]): Promise<number> {
  if (CHROMIUM.available) return measured(args)
  process.stdout.write(`page: left out ${CHROMIUM.notice}\n`)
  return 0
}
