// How the time of a script grows with the size of the file, and the speed of its regular expressions.
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { outputOf } from '../core/process.ts'
import { type Answered, judged } from '../figure.ts'
import { linesOf } from '../report.ts'
import { appendRow, resultRow } from '../result-row.ts'
import { FULL, QUICK } from './settings.ts'

const HELP = `npm run bench -- edl [--quick] [--json] [--write]
  --quick  small sizes, which show that it runs and judge nothing
  --json   the row as JSON
  --write  add the row to bench/results/edl.jsonl
`

export const RESULTS = fileURLToPath(new URL('../results/edl.jsonl', import.meta.url))
const SCRIPT = fileURLToPath(new URL('./figure-process.ts', import.meta.url))

export async function main(args: readonly string[]): Promise<number> {
  const options = optionsOf(args)
  if (typeof options === 'string') {
    process.stderr.write(`${options}\n${HELP}`)
    return 2
  }
  const { quick, json, write } = options
  const settings = quick ? QUICK : FULL
  const answers: Answered[] = JSON.parse(await outputOf(SCRIPT, [JSON.stringify(settings)]))
  const figures = answers.map((answer) => {
    const isSpeed = answer.id.startsWith('search')
    return judged(answer, isSpeed ? 'Regular expressions' : 'Scripts', !quick)
  })
  const row = resultRow('edl', { ...settings }, figures)
  if (write) appendRow(RESULTS, row)
  process.stdout.write(`${json ? JSON.stringify(row) : linesOf(row)}\n`)
  return 0
}

interface Options {
  readonly quick: boolean
  readonly json: boolean
  readonly write: boolean
}

/** A sentence where the arguments make no sense. */
function optionsOf(args: readonly string[]): Options | string {
  const flag = { type: 'boolean', default: false } as const
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { quick: flag, json: flag, write: flag },
    })
    return values.write && values.quick ? 'Only a whole run can be written.' : values
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
