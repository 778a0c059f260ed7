// The check, in three tiers: `npm test`, `npm run test:all`, `npm run test:long`. Words behind it choose
// tests by their path; `--changed` runs what a change touches. docs: CONTRIBUTING.md.
import { execFileSync, spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, relative } from 'node:path'
import { disagreements, REPORTS, type Tier } from '../test/tidy/statements.ts'
import { readTree } from '../test/tidy/tree.ts'
import {
  type Counts,
  countTests,
  formatSeconds,
  lastLine,
  NO_TESTS,
  type StepResult,
  slowestFiles,
  summaryTable,
  type TestReport,
  testEnvironment,
  testFailure,
  total,
} from './check-report.ts'

interface Step {
  readonly name: string
  run(): Promise<{ readonly failure: string; readonly counts?: Counts }>
}

const root = process.cwd()
const asked = process.argv.slice(2)
const isChanged = asked.includes('--changed')
const isLong = asked.includes('--long')
const tier: Tier = asked.includes('--all') ? 'all' : 'fast'
const filters = asked.filter((argument) => !argument.startsWith('--'))
/** A whole run: every step, and what its tests prove. */
const isWhole = !isLong && !isChanged && filters.length === 0
const SLOWEST_FILES = tier === 'all' ? 30 : 10

const lint = (...paths: readonly string[]) =>
  step('format and lint', ['biome', 'check', '--error-on-warnings', ...paths])

const STATIC_STEPS: readonly Step[] = [
  lint('.'),
  // The build holds the pure folders to the language alone; the second run covers tests and scripts.
  step(
    'types',
    ['tsc', '-b', 'tsconfig.build.json'],
    ['tsc', '-p', 'tsconfig.json'],
    ['tsc', '-p', 'src/web/tsconfig.json'],
  ),
  step('unused code', ['knip']),
  step('package', ['publint']),
]
const TESTS: Step = { name: 'tests', run: runTests }

// An interrupt reaches the running step, too; this process stays to report and to tidy up.
let isInterrupted = false
process.on('SIGINT', () => {
  isInterrupted = true
})

process.exitCode = await main()

async function main(): Promise<number> {
  const results: StepResult[] = []
  for (const each of stepsOf()) {
    if (isInterrupted) break
    console.log(`\n── ${each.name} ──`)
    const start = performance.now()
    const outcome = await each.run()
    const durationMs = performance.now() - start
    results.push({ name: each.name, durationMs, ...outcome })
    const verdict = outcome.failure === '' ? 'passed' : `FAILED (${outcome.failure})`
    console.log(`── ${each.name}: ${verdict} in ${formatSeconds(durationMs)}`)
  }
  const counts = total(results)
  console.log(`\n── summary ──\n${summaryTable(results)}\n\n${lastLine(counts)}`)
  return counts.failed > 0 || isInterrupted ? 1 : 0
}

function stepsOf(): readonly Step[] {
  if (isWhole) return [...STATIC_STEPS, TESTS, { name: 'statements', run: checkStatements }]
  if (!isChanged) return [TESTS]
  const files = changedFiles()
  return [...(files.length > 0 ? [lint(...files)] : []), TESTS]
}

/** Since the commit named behind `--changed`, or else since the last one. */
function changedFiles(): readonly string[] {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0')
  const changed = git('diff', '--name-only', '-z', filters[0] ?? 'HEAD')
  const added = git('ls-files', '--others', '--exclude-standard', '-z')
  return [...changed, ...added].filter(
    (path) => /\.[cm]?[jt]sx?$|\.json$/.test(path) && existsSync(path),
  )
}

/** A step of one or more commands, all of which run. */
function step(name: string, ...commands: readonly (readonly string[])[]): Step {
  return {
    name,
    async run() {
      const failures: string[] = []
      for (const [program = '', ...args] of commands) {
        const exitCode = await run(program, args, process.env)
        if (exitCode !== 0) failures.push([program, ...args].join(' '))
      }
      return { failure: failures.join('; ') }
    },
  }
}

async function runTests(): Promise<{ failure: string; counts: Counts }> {
  const folder = mkdtempSync(join(tmpdir(), 'precis-check-'))
  try {
    const file = join(folder, 'report.json')
    const chosen = isChanged ? [`--changed=${filters[0] ?? 'HEAD'}`] : filters
    const exitCode = await run(
      'vitest',
      ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`, ...chosen],
      tierEnvironment(mkdtempSync(join(folder, 'home-'))),
    )
    const report = readReport(file)
    const counts = report ? countTests(report) : NO_TESTS
    if (report && isWhole) {
      mkdirSync(join(root, dirname(REPORTS[tier])), { recursive: true })
      copyFileSync(file, join(root, REPORTS[tier]))
    }
    if (report && (isWhole || isLong))
      console.log(`\nthe slowest files\n${slowestFiles(report, SLOWEST_FILES)}`)
    const isUntouched = isChanged && exitCode === 0
    return { failure: isUntouched ? '' : testFailure(counts, exitCode), counts }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What test/scale.ts and vitest.config.ts go by. Only the fast tier has the same seed every time. */
function tierEnvironment(home: string): Record<string, string> {
  const environment = testEnvironment(process.env, home)
  const PRECIS_TIER = isLong ? 'long' : tier
  if (PRECIS_TIER === 'fast') return { ...environment, PRECIS_TIER }
  const PRECIS_SEED = environment.PRECIS_SEED ?? String(1 + (Date.now() % 1_000_000))
  console.log(`PRECIS_SEED=${PRECIS_SEED} repeats this run`)
  return { ...environment, PRECIS_TIER, PRECIS_SEED }
}

/** Every statement is proven by a test that ran and passed, or stands in a list that says why not. */
async function checkStatements(): Promise<{ failure: string }> {
  const report = readReport(join(root, REPORTS[tier]))
  const found = report ? disagreements(readTree(root), report, tier) : ['there is no report']
  for (const sentence of found) console.log(sentence)
  return { failure: found.length === 0 ? '' : `${found.length} about statements` }
}

/** A runner that stops early leaves no report: then no tests ran. */
function readReport(file: string): TestReport | undefined {
  try {
    const report: TestReport = JSON.parse(readFileSync(file, 'utf8'))
    const testResults = report.testResults.map(({ name = '', ...rest }) => ({
      ...rest,
      name: relative(root, name),
    }))
    return { testResults }
  } catch (error) {
    console.error(`there is no report of the tests: ${error}`)
    return undefined
  }
}

/** Runs a program of node_modules, with its output as ours, on the Node that runs this file. */
function run(program: string, args: readonly string[], environment: NodeJS.ProcessEnv) {
  const path = [join(root, 'node_modules/.bin'), dirname(process.execPath), process.env.PATH]
  const child = spawn(program, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...environment, PATH: path.join(delimiter) },
  })
  return new Promise<number>((resolve) => {
    child.on('error', (error) => {
      console.error(`${program} did not start: ${error.message}`)
      resolve(1)
    })
    child.on('close', (exitCode) => resolve(exitCode ?? 1))
  })
}
