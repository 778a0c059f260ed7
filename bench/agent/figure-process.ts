// A process that measures the figures: `node --expose-gc THIS SETTINGS`, with JSON on stdout.
import type { Settings } from './settings.ts'
import { turnCost } from './turn-cost.ts'

const settings: Settings = JSON.parse(process.argv[2] ?? '')
process.stdout.write(`${JSON.stringify(await turnCost(settings))}\n`)
