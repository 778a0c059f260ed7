// A process that measures the figures: `node --expose-gc THIS SETTINGS`, with JSON on stdout.
import { applyCost } from './apply-cost.ts'
import type { Settings } from './settings.ts'

const settings: Settings = JSON.parse(process.argv[2] ?? '')
process.stdout.write(`${JSON.stringify(await applyCost(settings))}\n`)
