// How much of what an agent used later is still there after a compaction: `npm run bench -- retention`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { PrecisError } from '../../src/core/errors.ts'
import { sessionFiles } from './files.ts'
import { HELP, type Options, optionsOf, usage } from './options.ts'
import { pageWithRetention } from './page.ts'
import { policiesWith } from './policies.ts'
import { isMeasured, measureAll, type Outcome } from './pool.ts'
import { linesOf } from './report.ts'
import { appendRetentionRow, latestRetentionRow, rowOf, rowText } from './row.ts'

const SETTINGS = { futureTurns: 40, minTokens: 2_000, minNeeds: 5 } as const
const PAGE = fileURLToPath(new URL('../../docs/benchmarks.md', import.meta.url))

export async function main(args: readonly string[]): Promise<number> {
  try {
    const options = optionsOf(args)
    if (options.measure) await measure(options)
    if (options.docs) {
      const page = readFileSync(PAGE, 'utf8')
      writeFileSync(PAGE, pageWithRetention(page, latestRetentionRow()))
    }
    return 0
  } catch (error) {
    if (!PrecisError.is(error)) throw error
    process.stderr.write(`${error.message}\n${error.code === 'usage' ? HELP : ''}`)
    return error.code === 'usage' ? 2 : 1
  }
}

async function measure(options: Options): Promise<void> {
  const { folders, counter, seed, write, json, each } = options
  const outcomes = await outcomesOf(options)
  const measured = outcomes.filter(isMeasured)
  if (measured.length === 0)
    throw new PrecisError(
      'invalid-input',
      `There is no session to measure in ${folders.join(', ')}.`,
      {
        hint: 'It takes sessions that are long enough to compact, and go on for a while.',
      },
    )
  const sessions = measured.flatMap(({ session }) => session ?? [])
  const row = rowOf(sessions, { ...SETTINGS, counter, seed })
  if (write) appendRetentionRow(row)
  const fileNames = new Map(measured.map(({ session, file }) => [session?.id ?? '', file.name]))
  const text = json ? rowText(row) : linesOf(row, each ? { fileNames } : {})
  process.stdout.write(`${text}\n`)
}

async function outcomesOf(options: Options): Promise<Outcome[]> {
  const { folders, jobs, seed, counter, sessions, with: file } = options
  const known = Object.keys(await policiesWith(file))
  const policies = options.policies ?? known
  const unknown = policies.find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw usage(`There is no policy ${unknown}. Known: ${known.join(', ')}.`)
  if (folders.length === 0) throw usage('Give it a folder, or set PRECIS_CORPUS.')
  const missing = folders.find((folder) => !existsSync(folder))
  if (missing !== undefined) throw usage(`There is no folder ${missing}.`)
  const files = sessionFiles(folders, seed)
  return measureAll(files, {
    jobs: Math.min(jobs, files.length),
    settings: { ...SETTINGS, counter, seed, policies, ...(file !== undefined && { file }) },
    enough: sessions,
    onDone: (outcome, done) => {
      process.stderr.write(`${done} of ${files.length}: ${outcomeText(outcome)}\n`)
    },
  })
}

function outcomeText({ file, session, problem }: Outcome): string {
  if (problem !== undefined) return `${file.name} is left out: ${problem}`
  const cuts = session?.cuts ?? []
  const failures = cuts.flatMap(({ measured }) =>
    measured.flatMap(({ policy, failure }) => (failure ? [`\n  ${policy}: ${failure}`] : [])),
  )
  const found = cuts.length === 0 ? 'nothing to measure' : `${cuts.length} cuts`
  return `${file.name}, ${found}${[...new Set(failures)].join('')}`
}
