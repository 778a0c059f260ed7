// What a check adds up to: the counts of its tests, a table of its steps, and the last line.

export interface Counts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export interface StepResult {
  readonly name: string
  /** Empty where the step passed; otherwise why it did not. */
  readonly failure: string
  readonly durationMs: number
  /** Only the step that runs tests has counts. */
  readonly counts?: Counts
}

/** What is read of vitest's JSON report. */
export interface TestReport {
  readonly testResults: readonly {
    readonly name?: string
    readonly startTime?: number
    readonly endTime?: number
    readonly status: string
    readonly assertionResults: readonly {
      readonly status: string
      readonly fullName?: string
      readonly failureMessages?: readonly string[] | null // of a test that passed: of its first try
    }[]
  }[]
}

export const NO_TESTS: Counts = { passed: 0, failed: 0, skipped: 0 }

/**
 * A file that fails outside of its tests (it does not load) counts as one failed test, and so does a
 * test that passed only at a second try.
 */
export function countTests(report: TestReport): Counts {
  const files = report.testResults.map(({ status, assertionResults }) => {
    const isTriedAgain = ({ failureMessages }: (typeof assertionResults)[number]) =>
      (failureMessages?.length ?? 0) > 0
    const passed = assertionResults.filter(
      (test) => test.status === 'passed' && !isTriedAgain(test),
    ).length
    const ended = assertionResults.filter((test) => ['passed', 'failed'].includes(test.status))
    const failed = ended.length - passed
    return {
      passed,
      failed: status === 'failed' ? Math.max(1, failed) : failed,
      skipped: assertionResults.length - ended.length,
    }
  })
  return files.reduce(add, NO_TESTS)
}

/** The files that took longest, a line each. */
export function slowestFiles({ testResults }: TestReport, count: number): string {
  return testResults
    .map(({ name = '', startTime = 0, endTime = 0 }) => ({ name, durationMs: endTime - startTime }))
    .toSorted((one, other) => other.durationMs - one.durationMs)
    .slice(0, count)
    .map(({ name, durationMs }) => `${formatSeconds(durationMs).padStart(9)}  ${name}`)
    .join('\n')
}

/** Why a run of tests failed; empty where it did not. */
export function testFailure(counts: Counts, exitCode: number): string {
  if (counts.failed > 0) return `${counts.failed} failed`
  if (counts.passed === 0) return 'no tests ran'
  // An error outside of all tests, or a runner that was stopped.
  return exitCode === 0 ? '' : `the test runner ended with ${exitCode}`
}

/** A step that failed without a failed test counts as one. */
export function total(results: readonly StepResult[]): Counts {
  return results
    .map(({ failure, counts = NO_TESTS }) => ({
      ...counts,
      failed: failure === '' ? counts.failed : Math.max(1, counts.failed),
    }))
    .reduce(add, NO_TESTS)
}

export function lastLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

export function summaryTable(results: readonly StepResult[]): string {
  const width = Math.max(...results.map(({ name }) => name.length))
  return results
    .map(({ name, failure, durationMs }) => {
      const verdict = failure === '' ? 'passed' : 'FAILED'
      const seconds = formatSeconds(durationMs).padStart(8)
      return `  ${name.padEnd(width)}  ${verdict} ${seconds}  ${failure}`.trimEnd()
    })
    .join('\n')
}

export function formatSeconds(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1)} s`
}

/** No keys: a test that reaches out fails. A home of its own: nothing of the user is read or written. */
export function testEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  home: string,
): Record<string, string> {
  const kept = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined || /_(?:API_KEY|TOKEN)$/i.test(name) ? [] : [[name, value] as const],
  )
  return { ...Object.fromEntries(kept), PRECIS_HOME: home }
}

function add(a: Counts, b: Counts): Counts {
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  }
}
