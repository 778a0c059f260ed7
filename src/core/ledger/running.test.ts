// Test runs, errors and commands in the ledger: what is open, what is solved, and what says nothing.
import { describe, expect, it } from 'vitest'
import { done, fates, ledgerOf, ran } from '../../../test/ledger/calls.ts'
import type { EventDraft } from '../log/event.ts'
import { ledgerLines } from './ledger-lines.ts'

describe('test runs and errors [NEED-05]', () => {
  const failing: readonly (readonly [
    command: string,
    output: string,
    counts: readonly [number | undefined, number | undefined],
    names: readonly string[],
  ])[] = [
    [
      'npx vitest run',
      ' FAIL  src/a.test.ts > adds > two\n Tests  1 failed | 5 passed (6)',
      [1, 5],
      ['src/a.test.ts > adds > two'],
    ],
    [
      'npm test',
      '  ● adds › two\nTests:       1 failed, 5 passed, 6 total',
      [1, 5],
      ['adds › two'],
    ],
    ['npx mocha', '  5 passing (20ms)\n  1 failing\n', [1, 5], []],
    [
      'python -m pytest tests/',
      'FAILED tests/test_a.py::test_b - assert 1\n=== 1 failed, 5 passed in 0.12s ===',
      [1, 5],
      ['tests/test_a.py::test_b'],
    ],
    [
      'python -m unittest',
      'FAIL: test_b (tests.A)\nRan 6 tests in 0.1s\nFAILED (failures=1)',
      [1, 6],
      ['test_b (tests.A)'],
    ],
    [
      'go test ./...',
      '--- FAIL: TestB (0.00s)\nFAIL\texample.com/a\t0.1s',
      [undefined, undefined],
      ['TestB'],
    ],
    [
      'cargo test',
      'test a::b ... FAILED\ntest result: FAILED. 5 passed; 1 failed; 0 ignored',
      [1, 5],
      ['a::b'],
    ],
    ['node --test', 'not ok 1 - adds\n# pass 5\n# fail 1', [1, 5], ['adds']],
    ['mvn test', '[ERROR] Tests run: 6, Failures: 1, Errors: 0, Skipped: 0', [1, 5], []],
    [
      './gradlew test',
      'ATest > adds() FAILED\n6 tests completed, 1 failed',
      [1, 5],
      ['ATest > adds()'],
    ],
    ['dotnet test', 'Failed!  - Failed:     1, Passed:     5, Skipped:     0', [1, 5], []],
    [
      'bundle exec rspec',
      '6 examples, 1 failure\nrspec ./a_spec.rb:3 # adds',
      [1, 5],
      ['./a_spec.rb:3'],
    ],
  ]
  it.each(failing)(
    '%s: counts and names of what fails, cleared by a later success',
    (command, output, [failed, passed], failures) => {
      const bad = ran(`cd . && ${command} 2>&1 | tail -50`, output)
      const ledger = ledgerOf(...bad, ...ran(command, output, 1))
      expect(ledger.tests).toMatchObject([{ key: command, isFailed: true, failures }])
      expect([ledger.tests[0]?.failed, ledger.tests[0]?.passed]).toEqual([failed, passed])
      const mended = ledgerOf(...bad, ...ran(command, 'ok'))
      expect(mended.tests).toMatchObject([{ isFailed: false, failures: [] }])
      expect(mended.errors).toEqual([])
    },
  )

  it('a run of everything that works clears the runs of its parts', () => {
    const ledger = ledgerOf(
      ...ran('npx vitest run src/a.test.ts', 'x', 1),
      ...ran('npx vitest run', ' Tests  6 passed (6)'),
    )
    expect(ledger.tests).toMatchObject([{ key: 'npx vitest run', isFailed: false, passed: 6 }])
  })

  it('keeps errors open until the same works, and none for what was only looked for', () => {
    const failedEdit = done('Edit', { file_path: 'a.ts' }, 'String to replace not found', {
      status: 'failed',
    })
    const ledger = ledgerOf(
      ...failedEdit,
      ...ran('npx tsc', 'a.ts(1,1): error TS1005', 2),
      ...ran('grep -q x a.ts', '', 1),
    )
    expect(ledger.errors).toMatchObject([
      { tool: 'Edit', subject: 'a.ts', line: 'String to replace not found' },
      { tool: 'command', subject: 'npx tsc', line: 'a.ts(1,1): error TS1005' },
    ])
    expect(ledgerLines(ledger, 1)).toEqual(['open error: npx tsc: a.ts(1,1): error TS1005'])
    const mended = ledgerOf(...failedEdit, ...done('Edit', { file_path: 'a.ts' }, 'ok'))
    expect(mended.errors).toEqual([])
  })
})

describe('a failure behind tests that pass', () => {
  const both = 'npm test && npm run lint'
  const red = ran('npm test', '  1 failing', 1)
  const behind = [...red, ...ran(both, '  6 passing (20ms)\nlint: 2 errors', 1)]

  it('is open under the whole command, and that of the tests is not', () => {
    const lines = ledgerLines(ledgerOf(...behind), 50)
    expect(lines).toContain('tests pass: npm test (0 failed, 6 passed)')
    expect(lines.filter((line) => line.startsWith('open error'))).toEqual([
      `open error: ${both}: lint: 2 errors`,
    ])
  })

  it.each([
    ['npm test', 1],
    ['npm run build', 1],
    ['npm run lint-docs && npm test', 1],
    ['npm run lint; npm test', 1],
    ['npm run lint -- --fix', 0],
    ['npm run lint && npm test', 0],
    [both, 0],
  ])('after `%s` worked, this many are open: %d', (command, count) => {
    expect(ledgerOf(...behind, ...ran(command, '  6 passing (20ms)')).errors).toHaveLength(count)
  })

  it('of several is open until each has worked', () => {
    const pushed = ran('npm test && npm run build && git push', '  6 passing (1s)\nrejected', 1)
    const built = ran('npm run build')
    expect(ledgerOf(...pushed, ...built).errors).toHaveLength(1)
    expect(ledgerOf(...pushed, ...built, ...ran('git push')).errors).toEqual([])
  })

  it('is theirs where only words follow them', () => {
    const { tests } = ledgerOf(...ran('npm test && echo fine', '  6 passing (1s)\ncoverage: 3%', 1))
    expect(tests).toMatchObject([{ isFailed: true }])
  })

  it('is none where something was only looked for', () => {
    expect(
      ledgerOf(...ran('npm test; grep -c tide out.txt', '  6 passing (1s)\n0', 1)).errors,
    ).toEqual([])
  })
})

describe('a run that says how it went', () => {
  it.each([
    ['npm test', 'FAIL-safe mode on\nall is well', false],
    ['npm test', 'FAIL fast is off\n Tests  6 passed (6)', false],
    ['npm test | tail', 'FAIL src/a.test.ts\nTests:       1 failed, 5 passed, 6 total', true],
    [
      'npx jest | tail',
      'FAIL src/a.test.ts\nTest Suites: 1 failed\nTests: 5 passed, 5 total',
      true,
    ],
    ['npx vitest run | tail', ' Test Files  1 failed | 2 passed (3)\n Tests  6 passed (6)', true],
    ['rtk bun run test 2>&1 | tail -9', '5 pass\n1 fail', true],
    ['rtk test npx vitest run', ' Tests  6 passed (6)', false],
    ['go test ./...', 'FAIL', true],
  ])('%s, %j: failed %s', (command, output, isFailed) => {
    expect(ledgerOf(...ran(command, output)).tests).toMatchObject([{ isFailed }])
  })
})

describe('what says nothing of the work', () => {
  it.each([
    'git branch -D old',
    'git branch topic',
    'git branch -m new-name',
    'git remote add far ssh://far/harbour',
    'git remote set-url origin ssh://far/harbour',
    'git config user.name Bob',
    'git config --unset user.name',
    'git reflog expire --all',
    'find . -name "*.log" -delete',
    'find . -type f -exec rm {} +',
    'sed -n -i 1,5p pier.txt',
    'awk -i inplace 1 pier.txt',
  ])('is not `%s`: it changes something', (command) => {
    expect(ledgerLines(ledgerOf(...ran(command)), 50)).toContain(`command worked: ${command}`)
    expect(ledgerOf(...ran(command, 'error: no', 1)).errors).toHaveLength(1)
  })

  it.each([
    'git branch',
    'git branch -a',
    'git branch -vv --sort=-committerdate',
    'git -C /srv branch --show-current',
    'git branch --contains 1a2b3c4',
    'git remote -v',
    'git remote get-url origin',
    'git config --get user.name',
    'git config user.name',
    'git config --list --show-origin',
    'git reflog -5',
    'find . -name "*.ts"',
    'sed -n 1,5p pier.txt',
    'awk "{print}" pier.txt',
    'git check-ignore docs/pier.md',
    'git rev-list --count HEAD',
  ])('is `%s`', (command) => {
    expect(ledgerLines(ledgerOf(...ran(command)), 50).join()).not.toContain('command worked')
  })

  it('is, of the tests, a failure behind those that passed, whether they are counted or not', () => {
    const lint = 'go test ./tide 2>&1 | tail -3 && golangci-lint run'
    const green = ledgerOf(...ran(lint, 'ok  \tharbour/tide\t0.094s\nlint: 2 issues', 1))
    expect(green.tests).toMatchObject([{ isFailed: false }])
    expect(green.errors).toMatchObject([{ subject: lint, line: 'lint: 2 issues' }])
    const red = ledgerOf(...ran(lint, 'FAIL\tharbour/tide\t0.094s', 1))
    expect(red.tests).toMatchObject([{ isFailed: true }])
    expect(red.errors).toHaveLength(1)
    const hidden = ledgerOf(...ran('go test ./tide | tail -1', 'FAIL\tharbour/tide\t0.1s'))
    expect(hidden.tests).toMatchObject([{ isFailed: true }])
    const last = ledgerOf(...ran('npm run build && npx vitest run', ' Tests  6 passed (6)', 1))
    expect(last.tests).toMatchObject([{ isFailed: true }])
  })

  it('is a call that never ran, and a command that works without its folder', () => {
    const cancelled = '<tool_use_error>Sibling tool call errored</tool_use_error>'
    const ledger = ledgerOf(
      ...done('Bash', { command: 'npm run lint' }, cancelled, { status: 'failed' }),
      ...ran('git -C /srv/harbour stash', "error: unexpected argument '-C'", 2),
      ...ran('git stash', 'Saved working directory'),
    )
    expect(ledger.errors).toEqual([])
    expect(ledger.commands.map(({ key }) => key)).not.toContain('npm run lint')
  })

  it.each(['(Bash completed with no output)', '(no output)', ''])(
    'is what a tool says of a command that printed nothing: %j',
    (output) => {
      const [command] = ledgerOf(...ran('npm run build', output)).commands
      expect(command).toMatchObject({ key: 'npm run build', lastLine: '' })
    },
  )

  it('is a command that only shows something, and a file where files come and go', () => {
    const ledger = ledgerOf(
      { type: 'THREAD_SETTINGS', data: { workspace: '/srv/harbour' } },
      ...ran('git status --short', ' M pier.ts'),
      ...ran('rg -n gate src', 'src/gate.ts:1:gate'),
      ...ran('git stash list', '(Bash completed with no output)'),
      ...done('Write', { file_path: '/tmp/scratch/probe.ts', content: 'x' }, 'ok'),
      ...ran('npm run build', '(Bash completed with no output)'),
    )
    const lines = ledgerLines(ledger, 50)
    expect(lines.filter((line) => line.startsWith('command'))).toEqual([
      'command worked: npm run build',
    ])
    expect(lines.join('\n')).not.toContain('probe.ts')
  })

  it.each([undefined, '/tmp/proj', '/tmp/proj/sub'])(
    'is not a file of the work below /tmp: workspace %s',
    (workspace) => {
      const ledger = ledgerOf(
        ...(workspace === undefined
          ? []
          : [{ type: 'THREAD_SETTINGS', data: { workspace } } satisfies EventDraft]),
        ...ran('cd /tmp/proj && ls', 'a.ts'),
        ...done('Edit', { file_path: '/tmp/proj/pier.ts', old_string: 'a', new_string: 'b' }, 'ok'),
      )
      expect(ledgerLines(ledger, 50).join('\n')).toMatch(/^modified: .*pier\.ts/m)
    },
  )

  it('is a status in another shape: files stay changed', () => {
    const ledger = ledgerOf(
      ...done('Edit', { file_path: 'pier.ts', old_string: 'a', new_string: 'b' }, 'ok'),
      ...ran('git status', 'Modified: 3 files\n   gate.ts\n   ... +2 more'),
    )
    expect(fates(ledger)).toContain('modified pier.ts')
  })
})

describe('what a line with several commands leaves open', () => {
  const line = 'go test ./pier && lint ./pier; node check.js'

  it('is what stands behind its last semicolon', () => {
    const red = ran(line, 'ok  \tpier\t0.1s\nError: no such file: a.json', 1)
    const open = (drafts: readonly EventDraft[]) =>
      ledgerLines(ledgerOf(...drafts), 50).filter((each) => each.startsWith('open error'))
    expect(open(red)).toHaveLength(1)
    expect(open([...red, ...ran('node check.js && echo fine', 'fine')])).toEqual([])
    expect(open([...red, ...ran('lint ./pier', 'clean')])).toHaveLength(1)
  })
})

it('says nothing of commands that only look, nor of the frame of a tool', () => {
  const end = '<shellId: 8 completed with exit code 0>'
  const lines = ledgerLines(
    ledgerOf(
      ...ran('git --no-pager -c color.ui=never status --short', `?? a.ts\n${end}`),
      ...ran('make pier', end),
    ),
    50,
  )
  expect(lines.filter((each) => each.startsWith('command'))).toEqual(['command worked: make pier'])
})
