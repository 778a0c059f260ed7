// What is left of planted facts where a poor model summarises: `npm run bench -- models`. No model is asked, no corpus read.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  compacted,
  factsInBrief,
  keptOf,
  LENGTHS,
  PRESETS,
  WINDOW,
} from '../../test/models/cells.ts'
import { CHARACTERS, ODD_CHARACTERS } from '../../test/models/characters.ts'
import { plant, REQUEST } from '../../test/models/planted.ts'
import { PAGE, withBlock } from '../report.ts'
import { resultRow } from '../result-row.ts'

const USAGE = 'npm run bench -- models [--quick] [--write] [--docs]'
const RESULTS = fileURLToPath(new URL('../results/models.jsonl', import.meta.url))
const SOAKS = fileURLToPath(new URL('../results/soaks.jsonl', import.meta.url))

/** One character in one preset at one length; `by` is absent where nothing was committed. */
interface ModelCell {
  readonly model: string
  readonly preset: string
  readonly windows: number
  readonly by?: string
  readonly tokens?: number
  readonly kept?: number
  readonly of?: number
  readonly inBrief?: number // facts that `extract` keeps in the same number of tokens
  readonly hasRequest?: boolean
}

interface ModelRow {
  readonly date: string
  readonly commit: string
  readonly changed: boolean
  readonly cells: readonly ModelCell[]
}

/** As `test/models/soak.full.test.ts` writes them, with the day. */
interface SoakRow extends Readonly<Record<string, string | number>> {
  readonly date: string
  readonly preset: string
  readonly model: string
  readonly turns: number
}

export async function main(args: readonly string[]): Promise<number> {
  const unknown = args.find((given) => !['--quick', '--write', '--docs'].includes(given))
  if (unknown !== undefined) {
    process.stderr.write(`Unknown: ${unknown}. ${USAGE}\n`)
    return 2
  }
  // The tables of committed rows need no run.
  const isRun = !args.includes('--docs') || args.includes('--write')
  if (isRun) {
    const cells = await measure(args.includes('--quick') ? CHARACTERS.slice(0, 1) : undefined)
    if (args.includes('--write')) append(cells)
    process.stdout.write(`${cellTable(cells)}\n`)
  }
  if (args.includes('--docs')) writeFileSync(PAGE, pageWithModels(readFileSync(PAGE, 'utf8')))
  return 0
}

async function measure(characters = [...CHARACTERS, ...ODD_CHARACTERS]): Promise<ModelCell[]> {
  const cells: ModelCell[] = []
  for (const windows of Object.values(LENGTHS)) {
    const planted = plant(windows * WINDOW)
    for (const character of characters)
      for (const preset of Object.keys(PRESETS)) {
        const cell = await compacted(planted, character, preset)
        const place = { model: character.name, preset, windows }
        if (!cell) {
          cells.push(place)
          continue
        }
        const { by, text, tokens } = cell
        cells.push({
          ...place,
          by,
          tokens,
          kept: keptOf(planted.facts, text),
          of: planted.facts.length,
          inBrief: await factsInBrief(planted, tokens),
          hasRequest: text.includes(REQUEST),
        })
      }
  }
  return cells
}

function append(cells: readonly ModelCell[]): void {
  const { figures: _, ...made } = resultRow('models', { windowTokens: WINDOW }, [])
  appendFileSync(RESULTS, `${JSON.stringify({ ...made, cells })}\n`)
}

/** The page with the tables of the rows that were added last. */
export function pageWithModels(page: string): string {
  const { date, commit, changed, cells } = readRows<ModelRow>(RESULTS).at(-1) as ModelRow
  const origin = `${date}, commit ${commit}${changed ? ' with changes' : ''}.`
  const withCells = withBlock(page, 'models', `\n${origin}\n\n${cellTable(cells)}\n`)
  return withBlock(withCells, 'soaks', `\n${soakTable(readRows<SoakRow>(SOAKS))}\n`)
}

function readRows<Row>(path: string): Row[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as Row)
}

/** A row for each model, a column for each preset and length above the window. */
function cellTable(cells: readonly ModelCell[]): string {
  const columns = Object.values(LENGTHS)
    .filter((windows) => windows > 1)
    .flatMap((windows) => Object.keys(PRESETS).map((preset) => ({ preset, windows })))
  const models = [...new Set(cells.map(({ model }) => model))]
  const rows = models.map((model) => [
    model,
    ...columns.map(({ preset, windows }) =>
      cellText(
        cells.find(
          (cell) => cell.model === model && cell.preset === preset && cell.windows === windows,
        ),
      ),
    ),
  ])
  return table(['model', ...columns.map(({ preset, windows }) => `${preset} ${windows}`)], rows)
}

function cellText({ by, kept = 0, inBrief = 0 }: Partial<ModelCell> = {}): string {
  if (by === undefined) return 'failed'
  return `${kept}${/, brief$|^cascade$/.test(by) ? '*' : ''} / ${inBrief}`
}

const SOAK_COLUMNS = [
  'date',
  'preset',
  'model',
  'turns',
  'requests',
  'refusals',
  'compactions',
  'refusedOwn',
  'failed',
  'keptTokens',
  'largestTokens',
]

/** The longest run of each preset and model, the newest of these. */
function soakTable(rows: readonly SoakRow[]): string {
  const best = new Map<string, SoakRow>()
  for (const row of rows) {
    const key = `${row.preset} ${row.model}`
    if (row.turns >= (best.get(key)?.turns ?? 0)) best.set(key, row)
  }
  return table(
    SOAK_COLUMNS,
    [...best.values()].map((row) =>
      SOAK_COLUMNS.map((name) => {
        const value = row[name] ?? 0
        return typeof value === 'number' ? value.toLocaleString('en-US') : value
      }),
    ),
  )
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return [columns, columns.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}
