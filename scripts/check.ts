// The check: format, lint, types, unused code, the package, tests. `npm test` runs it all;
// `npm test -- stores` only the tests whose path holds the word; `--long` only the long tests.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import {
  type Counts,
  countTests,
  formatSeconds,
  lastLine,
  NO_TESTS,
  type StepResult,
  secondTries,
  summaryTable,
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
const isLong = asked.includes('--long')
const filters = asked.filter((argument) => argument !== '--long')

const STATIC_STEPS: readonly Step[] = [
  step('format and lint', ['biome', 'check', '--error-on-warnings', '.']),
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

// An interrupt reaches the running step, too; this process stays to report and to tidy up.
let isInterrupted = false
process.on('SIGINT', () => {
  isInterrupted = true
})

process.exitCode = await main()

async function main(): Promise<number> {
  const isPartial = isLong || filters.length > 0
  const results: StepResult[] = []
  for (const each of [...(isPartial ? [] : STATIC_STEPS), { name: 'tests', run: runTests }]) {
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
    const report = join(folder, 'report.json')
    const environment = testEnvironment(process.env, mkdtempSync(join(folder, 'home-')))
    const exitCode = await run(
      'vitest',
      ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...filters],
      isLong ? { ...environment, PRECIS_LONG: '1' } : environment,
    )
    const counts = readCounts(report)
    return { failure: testFailure(counts, exitCode), counts }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A runner that stops early leaves no report: then no tests ran. */
function readCounts(report: string): Counts {
  try {
    const read = JSON.parse(readFileSync(report, 'utf8'))
    for (const name of secondTries(read)) console.log(`passed only at a second try: ${name}`)
    return countTests(read)
  } catch (error) {
    console.error(`there is no report of the tests: ${error}`)
    return NO_TESTS
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
