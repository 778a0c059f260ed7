// The speed and the memory of the core and the stores, as ratios of what ran in turns in one run.
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Answered, type Figure, judged } from '../figure.ts'
import { linesOf, writeTable } from '../report.ts'
import { appendRow, type ResultRow, resultRow } from '../result-row.ts'
import { GROUPS } from './groups.ts'
import { outputOf } from './process.ts'
import { FULL, QUICK, type Settings } from './settings.ts'

const HELP = `npm run bench -- core [--quick] [--json] [--only GROUP,…] [--write] [--docs]
  --quick  small sizes, which show that it runs and judge nothing
  --json   the row as JSON
  --only   some groups: ${Object.keys(GROUPS).join(', ')}
  --write  add the row to bench/results/core.jsonl
  --docs   write the table of docs/benchmarks.md from the latest row; alone, without measuring
`

const SCRIPT = fileURLToPath(new URL('./figure-process.ts', import.meta.url))

export async function main(args: readonly string[]): Promise<number> {
  const options = optionsOf(args)
  if (typeof options === 'string') {
    process.stderr.write(`${options}\n${HELP}`)
    return 2
  }
  if (options.measure) await measureAll(options)
  if (options.docs) writeTable('core')
  return 0
}

interface Options {
  readonly settings: Settings
  readonly quick: boolean
  readonly json: boolean
  readonly write: boolean
  readonly docs: boolean
  readonly measure: boolean
  readonly groups: readonly string[]
}

/** A sentence where the arguments make no sense. */
function optionsOf(args: readonly string[]): Options | string {
  const flag = { type: 'boolean', default: false } as const
  const options = {
    quick: flag,
    json: flag,
    write: flag,
    docs: flag,
    only: { type: 'string' },
  } as const
  try {
    const { values } = parseArgs({ args: [...args], options })
    const { quick, json, write, docs, only } = values
    const groups = only?.split(',') ?? Object.keys(GROUPS)
    const unknown = groups.find((group) => !Object.hasOwn(GROUPS, group))
    if (unknown !== undefined) return `There is no group ${unknown}.`
    if (write && (quick || only !== undefined)) return 'Only a whole run can be written.'
    const measure = !docs || write
    return { settings: quick ? QUICK : FULL, quick, json, write, docs, measure, groups }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function measureAll({ settings, quick, json, write, groups }: Options): Promise<void> {
  const figures: Figure[] = []
  // A process for each group, so that none finds traces of another; where nothing is judged, one will do.
  for (const names of quick ? [groups] : groups.map((name) => [name]))
    figures.push(...(await figuresOf(names, settings, !quick)))
  const row: ResultRow = resultRow('core', { ...settings }, figures)
  if (write) appendRow(row)
  process.stdout.write(`${json ? JSON.stringify(row) : linesOf(row)}\n`)
}

async function figuresOf(
  names: readonly string[],
  settings: Settings,
  isJudged: boolean,
): Promise<Figure[]> {
  const output = await outputOf(SCRIPT, [names.join(','), JSON.stringify(settings)])
  const answers: Record<string, Answered[]> = JSON.parse(output)
  return Object.entries(answers).flatMap(([name, group]) =>
    group.map((answer) => judged(answer, GROUPS[name]?.title ?? name, isJudged)),
  )
}
