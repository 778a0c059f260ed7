// A process that measures the figures: `node --expose-gc THIS SETTINGS`, with JSON on stdout.
import { scrollCost } from './scroll-cost.ts'
import type { Settings } from './settings.ts'

const settings: Settings = JSON.parse(process.argv[2] ?? '')
process.stdout.write(`${JSON.stringify(await scrollCost(settings))}\n`)
// The browser's connections would keep the process for a while.
process.exit(0)
