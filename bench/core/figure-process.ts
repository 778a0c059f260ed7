// A process that measures groups of figures: `node --expose-gc THIS GROUP,… SETTINGS`, with JSON on stdout.
import type { Answered } from '../figure.ts'
import { GROUPS } from './groups.ts'
import type { Settings } from './settings.ts'

const [names = '', settings = ''] = process.argv.slice(2)
const answers: Record<string, Answered[]> = {}
for (const name of names.split(',')) {
  const measure = await GROUPS[name]?.load()
  if (!measure) throw new Error(`there is no group ${name}`)
  answers[name] = await measure(JSON.parse(settings) as Settings)
}
process.stdout.write(`${JSON.stringify(answers)}\n`)
