// Measures the figures of one benchmark: `node --expose-gc THIS NAME SETTINGS`, with JSON on stdout.
import { BENCHMARKS } from './benchmarks.ts'

const [name = '', settings = ''] = process.argv.slice(2)
const figures = await BENCHMARKS[name]?.measure(settings)
process.stdout.write(`${JSON.stringify(figures)}\n`)
// Timers of libraries and connections of a browser would keep the process alive.
process.exit(0)
