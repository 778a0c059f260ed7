// `npm run mutation [-- FOLDER… --seed S --sample N --files GLOB --write]`: plants faults in the sources
// and lists those that no test notices. Fails where a folder is below its goal or its committed score.
import {
  chmodSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, matchesGlob } from 'node:path'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import {
  FOLDERS,
  type Folder,
  PLAN_VARIABLE,
  type RunPlan,
  sourceFiles,
  testFiles,
} from '../test/mutation/folders.ts'
import {
  type Disabled,
  drawSample,
  listMutants,
  type Mutant,
  placeOf,
  rangeOf,
  withoutDisabled,
} from '../test/mutation/mutants.ts'
import {
  failureOf,
  highestOf,
  type Outcome,
  type Score,
  scoreOf,
  survivorLines,
  tableOf,
} from '../test/mutation/scores.ts'
import { testEnvironment } from './check-report.ts'

type StrykerOptions = ConstructorParameters<typeof Stryker>[0]

/** Before runs set their own. */
const TEMPORARY = tmpdir()
const SCORES = 'test/mutation/scores.json'
const DISABLED = 'test/mutation/disabled.json'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    sample: { type: 'string', default: '100' },
    files: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const seed = Number(values.seed)
const count = Number(values.sample)
const asked = positionals.length > 0 ? positionals : Object.keys(FOLDERS)
const unknown = asked.find((name) => !Object.hasOwn(FOLDERS, name))
if (
  unknown !== undefined ||
  !Number.isSafeInteger(seed) ||
  !(Number.isSafeInteger(count) && count > 0)
) {
  console.error(
    `mutation: [FOLDER…] --seed N --sample N; folders: ${Object.keys(FOLDERS).join(', ')}`,
  )
  process.exitCode = 2
} else process.exitCode = await main()

async function main(): Promise<number> {
  const committed = readJson<Record<string, Score>>(SCORES)
  const reached: Record<string, Score> = {}
  const failures: string[] = []
  const outcomes: Outcome[] = []
  for (const name of asked) {
    const folder = FOLDERS[name]
    if (folder === undefined) continue
    const outcome = await testFolder(name, folder, failures)
    outcomes.push(outcome)
    for (const line of survivorLines(outcome)) console.log(line)
    const score = scoreOf(outcome, seed)
    console.log(`\n${name}: ${score.killed} of ${score.sampled} killed, ${score.score} %\n`)
    if (values.files !== undefined) continue
    const failure = failureOf(name, score, folder.goalPercent, committed[name])
    if (failure !== undefined) failures.push(failure)
    reached[name] = score
  }
  // Another run may have raised the same folders meanwhile.
  const now = highestOf(readJson<Record<string, Score>>(SCORES), reached)
  if (values.write) writeFileSync(SCORES, `${JSON.stringify(now, undefined, 2)}\n`)
  console.log(tableOf(outcomes))
  for (const failure of failures) console.error(`mutation: ${failure}`)
  return failures.length > 0 ? 1 : 0
}

async function testFolder(name: string, folder: Folder, failures: string[]): Promise<Outcome> {
  const start = performance.now()
  const disabled = readJson<Disabled[]>(DISABLED)
  const paths = sourceFiles(folder.sources).filter(
    (path) => values.files === undefined || matchesGlob(path, values.files),
  )
  const all = await listMutants(paths)
  const { left, stale } = withoutDisabled(
    all,
    disabled.filter(({ path }) => paths.includes(path)),
  )
  for (const { path, line } of stale)
    failures.push(`${DISABLED}: no such mutant in ${path}: ${line}`)
  const sample = drawSample(left, seed, count)
  console.log(`${name}: ${all.length} mutants, ${sample.length} sampled with seed ${seed}`)
  const statuses = sample.length === 0 ? new Map() : await runStryker(folder, sample)
  const results = sample.map((mutant) => {
    const status = statuses.get(placeOf(mutant))
    if (status === undefined) throw new Error(`Stryker did not run ${rangeOf(mutant)}`)
    return { mutant, status }
  })
  const seconds = Math.round((performance.now() - start) / 1000)
  return { name, all: all.length, disabled: all.length - left.length, results, seconds }
}

/** The status of each mutant that Stryker has met, by its place. */
async function runStryker(folder: Folder, sample: readonly Mutant[]): Promise<Map<string, string>> {
  const temporary = mkdtempSync(join(TEMPORARY, 'precis-mutation-'))
  try {
    const [home, scratch] = [join(temporary, 'home'), join(temporary, 'tmp')]
    for (const each of [home, scratch]) mkdirSync(each)
    // Database servers of tests run as another user.
    for (const each of [temporary, scratch]) chmodSync(each, 0o755)
    const plan: RunPlan = {
      root: process.cwd(),
      tests: testFiles(folder.tests),
      apart: folder.apart && { ...folder.apart, tests: testFiles(folder.apart.tests) },
      places: sample.map(placeOf),
    }
    const planPath = join(temporary, 'plan.json')
    writeFileSync(planPath, JSON.stringify(plan))
    process.env = {
      ...testEnvironment(process.env, home),
      TMPDIR: scratch,
      PRECIS_TIER: folder.tier ?? '',
      [PLAN_VARIABLE]: planPath,
    }
    const results = await new Stryker(
      optionsFor(folder, sample, join(temporary, 'copy')),
    ).runMutationTest()
    return new Map(
      results.map(({ fileName, mutatorName, location, replacement = '', status }) => {
        const path = fileName.slice(process.cwd().length + 1)
        // Results count lines and columns from 1.
        const [start, end] = [location.start, location.end].map(({ line, column }) => ({
          line: line - 1,
          column: column - 1,
        }))
        if (!start || !end) throw new Error('a mutant without a place')
        return [placeOf({ path, mutator: mutatorName, start, end, replacement }), status] as const
      }),
    )
  } finally {
    stopServers(join(temporary, 'tmp'))
    rmSync(temporary, { recursive: true, force: true })
  }
}

/** A mutant that hangs is ended with its tests, and these leave their database server behind. */
function stopServers(folder: string): void {
  for (const path of globSync(join(folder, '*/data/postmaster.pid'))) {
    const [pid] = readFileSync(path, 'utf8').split('\n')
    try {
      process.kill(Number(pid), 'SIGQUIT')
    } catch (error) {
      console.error(`mutation: the server ${pid} was gone already: ${error}`)
    }
  }
}

function optionsFor(
  folder: Folder,
  sample: readonly Mutant[],
  tempDirName: string,
): StrykerOptions {
  return {
    testRunner: 'sampled',
    plugins: ['@stryker-mutator/vitest-runner', join(process.cwd(), 'test/mutation/runner.ts')],
    vitest: {
      configFile: 'test/mutation/vitest.config.ts',
      pool: folder.inThread ? 'threads' : 'forks',
    },
    mutate: sample.map(rangeOf),
    coverageAnalysis: 'perTest',
    concurrency: availableParallelism(),
    // Nothing to check types with: there is no compiler API in this version of TypeScript.
    disableTypeChecks: false,
    tsconfigFile: 'none',
    tempDirName,
    cleanTempDir: 'always',
    ignorePatterns: ['bench/results', 'dist', 'coverage'],
    reporters: ['progress-append-only'],
    // What only a busy machine delays is not killed.
    timeoutMS: 60_000,
    timeoutFactor: 1.5,
    dryRunTimeoutMinutes: 20,
    allowConsoleColors: false,
    logLevel: 'warn' as NonNullable<StrykerOptions['logLevel']>,
    warnings: false,
  }
}

function readJson<Read>(path: string): Read {
  return JSON.parse(readFileSync(path, 'utf8')) as Read
}
