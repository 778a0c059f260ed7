// Test runs: recognises the commands, and reads the runners' results.
import { cutHead, cutTail } from '../window/tokens/cut.ts'

export interface TestSummary {
  readonly passed?: number
  readonly failed?: number
  /** Names of failed tests, as printed. */
  readonly failures: readonly string[]
}

const MOST_FAILURES = 30
const LONGEST_NAME_CHARS = 200
const LONGEST_LINE_CHARS = 400
/** Runners print failures during the run and a summary at the end. */
const HEAD_CHARS = 60_000
const TAIL_CHARS = 120_000

/** Programs that run another program. */
const RUNS_ANOTHER: readonly (readonly string[])[] = [
  ['npx'],
  ['bunx'],
  ['pnpm', 'exec'],
  ['yarn', 'exec'],
  ['uv', 'run'],
  ['poetry', 'run'],
  ['bundle', 'exec'],
  ['python', '-m'],
  ['python3', '-m'],
  ['pipenv', 'run'],
  // It shortens what other programs print.
  ['rtk', 'test'],
  ['rtk'],
]
const RUNNERS = new Set(
  'vitest jest mocha ava tap jasmine pytest py.test unittest nose2 tox rspec phpunit ctest karma'.split(
    ' ',
  ),
)
/** With the words after them. */
const RUNNERS_BY_WORD: Readonly<Record<string, RegExp>> = {
  npm: /^(?:t|test|tst)$|^run(?:-script)? (?:test|tests)(?::\S+)?$/,
  pnpm: /^(?:t|test)$|^run (?:test|tests)(?::\S+)?$|^test:\S+$/,
  yarn: /^(?:test|test:\S+)$|^run (?:test|tests)(?::\S+)?$/,
  bun: /^test$|^run test(?::\S+)?$/,
  deno: /^test$/,
  go: /^test$/,
  cargo: /^(?:test|t|nextest)$/,
  mvn: /^(?:test|verify)$/,
  gradle: /^\S*[tT]est$/,
  gradlew: /^\S*[tT]est$/,
  dotnet: /^test$/,
  make: /^(?:test|tests|check)$/,
  swift: /^test$/,
  flutter: /^test$/,
  mix: /^test$/,
  playwright: /^test$/,
  node: /^--test$/,
}

export function isTestRun(words: readonly string[]): boolean {
  const [program = '', ...rest] = withoutRunner(words)
  const name = program.slice(program.lastIndexOf('/') + 1)
  if (RUNNERS.has(name)) return true
  if (!Object.hasOwn(RUNNERS_BY_WORD, name)) return false
  const expression = RUNNERS_BY_WORD[name] as RegExp
  if (name === 'node') return rest.includes('--test')
  const plain = rest.filter((word) => !/^[-+]/.test(word))
  return expression.test(plain[0] ?? '') || expression.test(plain.slice(0, 2).join(' '))
}

function withoutRunner(words: readonly string[]): readonly string[] {
  const found = RUNS_ANOTHER.find((prefix) => prefix.every((word, at) => words[at] === word))
  if (found === undefined) return words
  const rest = words.slice(found.length)
  const first = rest.findIndex((word) => !word.startsWith('-'))
  return first < 0 ? rest : withoutRunner(rest.slice(first))
}

interface TestCounts {
  passed?: number
  failed?: number
  readonly failures: Set<string>
}

type LineRule = readonly [
  RegExp,
  (found: TestCounts, groups: readonly (string | undefined)[]) => void,
]

const name: LineRule[1] = (found, [, text]) => {
  const plain = text?.trim() ?? ''
  if (plain !== '' && found.failures.size < MOST_FAILURES)
    found.failures.add(cutHead(plain, LONGEST_NAME_CHARS))
}

/** The last summary counts: runners summarise parts first. */
function sums(passedAt: number, failedAt: number): LineRule[1] {
  return (found, groups) => {
    const failed = groups[failedAt]
    const passed = groups[passedAt]
    found.failed = Number(failed ?? 0)
    if (passed !== undefined) found.passed = Number(passed)
  }
}

const LINES: readonly LineRule[] = [
  // vitest, jest
  [
    /^\s*Tests:?\s+(?:(\d+) failed[\s|,]*)?(?:\d+ (?:skipped|todo)[\s|,]*)*(\d+) (?:passed|total)/,
    sums(2, 1),
  ],
  [/^\s*FAIL\s+(\S+ > .+)$/, name],
  [/^\s*● (.+ › .+)$/, name],
  // mocha
  [
    /^\s*(\d+) passing\b/,
    (found, [, count]) => {
      found.passed = Number(count)
      found.failed ??= 0
    },
  ],
  [
    /^\s*(\d+) failing\b/,
    (found, [, count]) => {
      found.failed = Number(count)
    },
  ],
  // pytest
  [
    /^=*\s*(?:(\d+) failed(?:, )?)?(?:(\d+) passed)?(?<=failed|passed|, )[^()]* in [\d.]+s\b/,
    sums(2, 1),
  ],
  [/^(?:FAILED|ERROR) (\S+::\S+)/, name],
  // unittest
  [/^(?:FAIL|ERROR): (\S+ \(\S+\))/, name],
  [
    /^FAILED \((?:failures=(\d+))?(?:, )?(?:errors=(\d+))?/,
    (found, [, failures, errors]) => {
      found.failed = Number(failures ?? 0) + Number(errors ?? 0)
    },
  ],
  [
    /^Ran (\d+) tests? in /,
    (found, [, count]) => {
      found.passed = Number(count)
    },
  ],
  // go
  [/^\s*--- FAIL: (\S+)/, name],
  // cargo
  [
    /^test result: \S+ (\d+) passed; (\d+) failed/,
    (found, [, passed, failed]) => {
      found.passed = (found.passed ?? 0) + Number(passed)
      found.failed = (found.failed ?? 0) + Number(failed)
    },
  ],
  [/^test (\S+) \.\.\. FAILED$/, name],
  // bun
  [
    /^\s*(\d+) pass$/,
    (found, [, count]) => {
      found.passed = Number(count)
      found.failed ??= 0
    },
  ],
  [
    /^\s*(\d+) fail$/,
    (found, [, count]) => {
      found.failed = Number(count)
    },
  ],
  [/^\(fail\) (.+?)(?: \[[\d.]+ms\])?$/, name],
  // node --test, TAP
  [/^(?:#|ℹ) pass (\d+)/, sums(1, 9)],
  [
    /^(?:#|ℹ) fail (\d+)/,
    (found, [, count]) => {
      found.failed = Number(count)
    },
  ],
  [/^\s*not ok \d+ - (.+)$/, name],
  [/^\s*✖ (.+?) \([\d.]+m?s\)$/, name],
  // JUnit by Maven, Gradle; PHPUnit; .NET; RSpec
  [
    /^(?:\[\w+\] )?Tests run: (\d+), Failures: (\d+), Errors: (\d+)/,
    (found, [, count, failures, errors]) => {
      found.failed = Number(failures) + Number(errors)
      found.passed = Number(count) - found.failed
    },
  ],
  [/^(\S+ > .+) FAILED$/, name],
  [
    /^(\d+) tests? completed, (\d+) failed/,
    (found, [, count, failed]) => {
      found.failed = Number(failed)
      found.passed = Number(count) - found.failed
    },
  ],
  [/^(?:Failed|Passed)!\s+- Failed:\s+(\d+), Passed:\s+(\d+)/, sums(2, 1)],
  [
    /^(\d+) examples?, (\d+) failures?/,
    (found, [, count, failed]) => {
      found.failed = Number(failed)
      found.passed = Number(count) - found.failed
    },
  ],
  [/^rspec (\.\/\S+:\d+)/, name],
]

/** Undefined without a runner's line. */
export function testSummary(output: string): TestSummary | undefined {
  const found: TestCounts = { failures: new Set() }
  for (const line of readLines(output))
    for (const [expression, note] of LINES) {
      const groups = expression.exec(line)
      if (groups !== null) note(found, groups)
    }
  const { passed, failed, failures } = found
  if (passed === undefined && failed === undefined && failures.size === 0) return undefined
  return {
    ...(passed !== undefined && { passed }),
    ...(failed !== undefined && { failed }),
    failures: [...failures],
  }
}

function readLines(output: string): string[] {
  const isLong = output.length > HEAD_CHARS + TAIL_CHARS
  const text = isLong ? `${cutHead(output, HEAD_CHARS)}\n${cutTail(output, TAIL_CHARS)}` : output
  return text
    .split('\n')
    .filter((line) => line.length <= LONGEST_LINE_CHARS)
    .map((line) => line.replace(COLOURS, '').trimEnd())
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals read their colours from them
const COLOURS = /\u001b\[[\d;]*m/g
