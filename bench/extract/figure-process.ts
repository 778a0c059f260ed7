// A process that measures the figures: `node --expose-gc THIS SETTINGS`, with JSON on stdout.
import { extractCost } from './extract-cost.ts'
import { memoryCost } from './memory-cost.ts'
import type { Settings } from './settings.ts'

const settings: Settings = JSON.parse(process.argv[2] ?? '')
const answers = [...(await extractCost(settings)), ...(await memoryCost(settings))]
process.stdout.write(`${JSON.stringify(answers)}\n`)
