// The check as a program, on a small project, and what it adds up.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  countTests,
  lastLine,
  NO_TESTS,
  slowestFiles,
  summaryTable,
  testEnvironment,
  testFailure,
  total,
} from './check-report.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

describe('the counts', () => {
  const file = (status: string, ...tests: string[]) => ({
    status,
    assertionResults: tests.map((each) => ({ status: each })),
  })

  it('are those of the tests, and of files that do not load', () => {
    const testResults = [
      file('passed', 'passed', 'passed', 'skipped', 'todo'),
      file('failed', 'passed', 'failed', 'failed'),
      file('failed'),
      file('failed', 'skipped'),
    ]
    expect(countTests({ testResults })).toEqual({ passed: 3, failed: 4, skipped: 3 })
    expect(countTests({ testResults: [] })).toEqual(NO_TESTS)
  })

  it('hold a test that passed at a second try as failed', () => {
    const assertionResults = [
      { status: 'passed', failureMessages: [] },
      { status: 'passed', failureMessages: ['Test timed out in 120000ms.'] },
    ]
    const testResults = [{ status: 'passed', assertionResults }]
    expect(countTests({ testResults })).toEqual({ passed: 1, failed: 1, skipped: 0 })
  })

  it('stand beside the files that took longest', () => {
    const took = (name: string, durationMs: number) => ({
      ...file('passed'),
      name,
      startTime: 1_000,
      endTime: 1_000 + durationMs,
    })
    const testResults = [took('a.test.ts', 10), took('b.test.ts', 61_000), took('c.test.ts', 400)]
    expect(slowestFiles({ testResults }, 2)).toBe('   61.0 s  b.test.ts\n    0.4 s  c.test.ts')
  })

  it('make a run fail that ran nothing or ended badly', () => {
    expect(testFailure({ passed: 1, failed: 0, skipped: 0 }, 0)).toBe('')
    expect(testFailure({ passed: 1, failed: 2, skipped: 0 }, 1)).toBe('2 failed')
    expect(testFailure({ passed: 0, failed: 0, skipped: 9 }, 0)).toBe('no tests ran')
    expect(testFailure({ passed: 1, failed: 0, skipped: 0 }, 7)).toMatch(/ended with 7/)
  })

  it('hold one failure for each step that failed', () => {
    const step = (name: string, failure: string) => ({ name, failure, durationMs: 1 })
    const tests = { ...step('tests', '2 failed'), counts: { passed: 3, failed: 2, skipped: 1 } }
    expect(total([step('lint', 'biome'), step('types', ''), tests])).toEqual({
      passed: 3,
      failed: 3,
      skipped: 1,
    })
    const crashed = { ...tests, counts: { ...tests.counts, failed: 0 } }
    expect(total([crashed]).failed).toBe(1)
  })

  it('are told in the last line', () => {
    expect(lastLine({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed')
    expect(lastLine({ passed: 3, failed: 1, skipped: 2 })).toBe('3 passed, 1 failed, 2 skipped')
  })

  it('stand below a table of the steps', () => {
    const results = [
      { name: 'lint', failure: '', durationMs: 1_240 },
      { name: 'all tests', failure: '2 failed', durationMs: 61_000 },
    ]
    expect(summaryTable(results)).toBe(
      '  lint       passed    1.2 s\n  all tests  FAILED   61.0 s  2 failed',
    )
  })
})

describe('the environment of tests', () => {
  it('has no keys, and a home of its own', () => {
    const before = {
      OPENAI_API_KEY: 'k',
      github_token: 'k',
      TOKENS: '5',
      PATH: '/bin',
      X: undefined,
    }
    expect(testEnvironment({ ...before, PRECIS_HOME: '/mine' }, '/fresh')).toEqual({
      TOKENS: '5',
      PATH: '/bin',
      PRECIS_HOME: '/fresh',
    })
  })
})

describe('the program', () => {
  const folder = mkdtempSync(join(tmpdir(), 'precis-check-test-'))
  const homeFile = join(folder, 'home.txt')
  const PROJECT = {
    'package.json': '{ "type": "module" }',
    'biome.json': '{ "formatter": { "enabled": false }, "assist": { "enabled": false } }',
    'fine.test.ts': `import { existsSync, writeFileSync } from 'node:fs'
      import { expect, it } from 'vitest'
      it('is apart', () => {
        expect(process.env.ANTHROPIC_API_KEY).toBeUndefined()
        expect(existsSync(process.env.PRECIS_HOME)).toBe(true)
        writeFileSync(${JSON.stringify(homeFile)}, process.env.PRECIS_HOME)
      })
      it.skipIf(true)('needs what is missing', () => {})`,
    'unloadable.test.ts': "import './nowhere.ts'",
    'slow.long.test.ts': "import { it } from 'vitest'\nit('takes long', () => {})",
    'large.full.test.ts': "import { it } from 'vitest'\nit('takes a while', () => {})",
    'tier.test.ts': `import { expect, it } from 'vitest'
      it('knows its tier and its seed', () => {
        const { PRECIS_TIER, PRECIS_SEED } = process.env
        expect(Number(PRECIS_SEED) > 0).toBe(PRECIS_TIER !== 'fast')
      })`,
  }

  beforeAll(() => {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    symlinkSync(join(root, 'bin'), join(folder, 'bin'))
    copyFileSync(join(root, 'vitest.config.ts'), join(folder, 'vitest.config.ts'))
    for (const [name, text] of Object.entries(PROJECT)) writeFileSync(join(folder, name), text)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  function check(...args: string[]) {
    // The variables of the runner that runs this test are not for the one that the check starts.
    const outer = Object.entries(process.env).filter(([name]) => !/^(?:VITEST|PRECIS)/.test(name))
    const { status, stdout } = spawnSync(
      process.execPath,
      [join(root, 'scripts/check.ts'), ...args],
      {
        cwd: folder,
        encoding: 'utf8',
        env: { ...Object.fromEntries(outer), ANTHROPIC_API_KEY: 'k' },
      },
    )
    return { status, last: stdout.trimEnd().split('\n').at(-1) }
  }

  it('ends with the counts, keeps keys away and removes the home', () => {
    expect(check('fine')).toEqual({ status: 0, last: '1 passed, 0 failed, 1 skipped' })
    expect(existsSync(readFileSync(homeFile, 'utf8'))).toBe(false)
  })

  it('fails where a file does not load', () => {
    expect(check('unloadable')).toEqual({ status: 1, last: '0 passed, 1 failed' })
  })

  it('fails where no tests ran', () => {
    expect(check('no-such-test')).toEqual({ status: 1, last: '0 passed, 1 failed' })
  })

  it.each([
    { args: ['large', 'slow', 'tier'], passed: 1 },
    { args: ['--all', 'large', 'slow', 'tier'], passed: 2 },
    { args: ['--long', 'large', 'slow', 'tier'], passed: 3 },
  ])('runs the tests of a tier: $args', ({ args, passed }) => {
    expect(check(...args)).toEqual({ status: 0, last: `${passed} passed, 0 failed` })
  })

  it('runs what a change touches', () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
        cwd: folder,
      })
    rmSync(join(folder, 'unloadable.test.ts')) // what it imports may have changed
    git('init', '-q')
    git('add', '.')
    git('commit', '-qm', 'all')
    appendFileSync(join(folder, 'tier.test.ts'), '\n')
    expect(check('--changed')).toEqual({ status: 0, last: '1 passed, 0 failed' })
  })
})
