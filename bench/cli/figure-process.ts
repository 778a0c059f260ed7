// A process that measures the figures: `node --expose-gc THIS SETTINGS`, with JSON on stdout.
import { peakMemory } from './peak-memory.ts'
import { sessionCost } from './session-cost.ts'
import type { Settings } from './settings.ts'
import { startCost } from './start-cost.ts'

const settings: Settings = JSON.parse(process.argv[2] ?? '')
const figures = [
  await sessionCost(settings),
  await startCost(settings),
  ...(await peakMemory(settings)),
]
process.stdout.write(`${JSON.stringify(figures)}\n`)
