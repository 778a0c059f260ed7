// A benchmark whose figures come from one process of its own: its arguments, its row, its output.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { outputOf } from './core/process.ts'
import { type Answered, judged } from './figure.ts'
import { linesOf, pageTable, withBlock } from './report.ts'
import { appendRow, latestRow, type ResultRow, resultRow } from './result-row.ts'

const PAGE = fileURLToPath(new URL('../docs/benchmarks.md', import.meta.url))

export interface Benchmark {
  readonly name: string
  /** Takes the settings as JSON, and prints its answers as JSON. */
  readonly script: string
  readonly full: ResultRow['settings']
  readonly quick: ResultRow['settings']
  /** Under which heading an answer is shown. */
  groupOf(answer: Answered): string
}

export function benchmark(bench: Benchmark): (args: readonly string[]) => Promise<number> {
  const { name, script, full, quick, groupOf } = bench
  const results = fileURLToPath(new URL(`./results/${name}.jsonl`, import.meta.url))
  return async (args) => {
    const options = optionsOf(args)
    if (typeof options === 'string') {
      process.stderr.write(`${options}\n${helpOf(name)}`)
      return 2
    }
    const measure = async (): Promise<void> => {
      const settings = options.quick ? quick : full
      const answers: Answered[] = JSON.parse(await outputOf(script, [JSON.stringify(settings)]))
      const figures = answers.map((answer) => judged(answer, groupOf(answer), !options.quick))
      const row = resultRow(name, settings, figures)
      if (options.write) appendRow(results, row)
      process.stdout.write(`${options.json ? JSON.stringify(row) : linesOf(row)}\n`)
    }
    if (!options.docs || options.write) await measure()
    if (options.docs) {
      const table = `\n${pageTable(latestRow(results))}\n`
      writeFileSync(PAGE, withBlock(readFileSync(PAGE, 'utf8'), name, table))
    }
    return 0
  }
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
