// Runs one benchmark of the table: its arguments, its process, its row, its output.
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Benchmark } from './benchmarks.ts'
import { outputOf } from './core/process.ts'
import { type Answered, judged } from './figure.ts'
import { linesOf, writeTable } from './report.ts'
import { appendRow, resultRow } from './result-row.ts'

const FIGURE_PROCESS = fileURLToPath(new URL('./figure-process.ts', import.meta.url))

export async function runBenchmark(
  name: string,
  { full, quick, headingOf }: Benchmark,
  args: readonly string[],
): Promise<number> {
  const options = optionsOf(args)
  if (typeof options === 'string') {
    process.stderr.write(`${options}\n${helpOf(name)}`)
    return 2
  }
  if (!options.docs || options.write) {
    const settings = options.quick ? quick : full
    const output = await outputOf(FIGURE_PROCESS, [name, JSON.stringify(settings)])
    const answers: Answered[] = JSON.parse(output)
    const figures = answers.map((answer) => judged(answer, headingOf(answer), !options.quick))
    const row = resultRow(name, settings, figures)
    if (options.write) appendRow(row)
    process.stdout.write(`${options.json ? JSON.stringify(row) : linesOf(row)}\n`)
  }
  if (options.docs) writeTable(name)
  return 0
}

function helpOf(name: string): string {
  return `npm run bench -- ${name} [--quick] [--json] [--write] [--docs]
  --quick  small sizes, which show that it runs and judge nothing
  --json   the row as JSON
  --write  add the row to bench/results/${name}.jsonl
  --docs   write its table in docs/benchmarks.md from the latest row; alone, without measuring
`
}

interface Options {
  readonly quick: boolean
  readonly json: boolean
  readonly write: boolean
  readonly docs: boolean
}

/** A sentence where the arguments make no sense. */
function optionsOf(args: readonly string[]): Options | string {
  const flag = { type: 'boolean', default: false } as const
  const options = { quick: flag, json: flag, write: flag, docs: flag } as const
  try {
    const { values } = parseArgs({ args: [...args], options })
    return values.write && values.quick ? 'Only a whole run can be written.' : values
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
