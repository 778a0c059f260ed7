// A process that measures one group of figures: `node --expose-gc THIS GROUP SETTINGS`, with JSON on stdout.
import { GROUPS } from './groups.ts'
import type { Settings } from './settings.ts'

const [name = '', settings = ''] = process.argv.slice(2)
const group = GROUPS[name]
if (!group) throw new Error(`there is no group ${name}`)
const measure = await group.load()
const answers = await measure(JSON.parse(settings) as Settings)
process.stdout.write(`${JSON.stringify(answers)}\n`)
