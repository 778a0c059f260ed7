// A process that measures the figures: `node --expose-gc THIS SETTINGS`, with JSON on stdout.
import type { Settings } from './settings.ts'

// Before React is loaded: its other build checks what it is given, at every drawing.
process.env.NODE_ENV = 'production'
// Before ink is loaded: under CI it draws nothing until its end.
process.env.CI = 'false'
const { tokenCost } = await import('./token-cost.ts')

const settings: Settings = JSON.parse(process.argv[2] ?? '')
process.stdout.write(`${JSON.stringify(await tokenCost(settings))}\n`)
// Timers of the libraries would keep the process.
process.exit(0)
