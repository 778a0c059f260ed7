// The tool `run` with real processes: output, exit codes, limits, and that nothing is left behind.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  call,
  outcomeOf,
  seen,
  toolRun,
  workspaceWith,
} from '../../../test/tools/temporary-workspace.ts'
import { until } from '../../../test/wait.ts'
import { OUTPUT_LIMITS } from './limit-output.ts'
import { type RunOptions, runTool } from './run.ts'

const QUICK: RunOptions = { graceMs: 300 }

/** Two levels below the shell: what a test runner or a dev server starts. Says its id in a file. */
const GRANDCHILD = `sh -c 'sh -c "echo \\$\\$ > pid; exec sleep 60" & wait'`
const STUBBORN = `trap "" TERM; echo $$ > pid; while true; do sleep 0.05; done`

function isAlive(pid: number): boolean {
  try {
    // Of a process that has ended but was not yet fetched by its parent, there is still a number.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Starts a command, waits for its file `pid`, aborts it if asked, and gives the outcome and the id. */
async function ended(
  command: string,
  { timeoutMs, isAborted }: { timeoutMs: number; isAborted: boolean },
) {
  const { root, ...rest } = workspaceWith()
  const controller = new AbortController()
  const tool = runTool({ root, ...rest }, QUICK)
  const running = call(tool, { command, timeoutMs }, controller.signal)
  const file = join(root, 'pid')
  const readPid = () => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0)
  await until('the id of the process', () => readPid() > 0)
  const pid = readPid()
  expect(isAlive(pid)).toBe(true)
  if (isAborted) controller.abort()
  const outcome = await running
  return { outcome, pid }
}

describe('run', () => {
  it.each([
    ['echo one; echo two >&2; echo three', 'completed', 'one\ntwo\nthree\n[exit code 0]'],
    ['true', 'completed', '[exit code 0]'],
    ['echo out; exit 3', 'failed', 'out\n[exit code 3]'],
    ['kill -KILL $$', 'failed', '[ended by SIGKILL]'],
    ['no-such-program-xyz', 'failed', expect.stringMatching(/not found[\s\S]*\[exit code 127\]$/)],
    ['cat; echo end', 'completed', 'end\n[exit code 0]'],
    ["printf '\\033[31mred\\033[0m'", 'completed', 'red\n[exit code 0]'],
    ['printf "größer 漢字 😀"', 'completed', 'größer 漢字 😀\n[exit code 0]'],
  ])('gives output and exit code of %s', async (command, status, text) => {
    const tool = runTool(workspaceWith(), QUICK)
    // Both outputs are read by themselves: only the order within each is certain.
    const [got, said] = await outcomeOf(tool, { command })
    const order = (value: unknown) => (typeof value === 'string' ? value.split('\n').sort() : value)
    expect(got).toBe(status)
    if (typeof text === 'string') expect(order(said)).toEqual(order(text))
    else expect(said).toEqual(text)
  })

  it('runs in the root of the workspace', async () => {
    const workspace = workspaceWith({ 'a.txt': '' })
    expect(await outcomeOf(runTool(workspace), { command: 'pwd; ls' })).toEqual([
      'completed',
      `${workspace.root}\na.txt\n[exit code 0]`,
    ])
  })

  it('does not show the keys of providers to commands', async () => {
    const environment = {
      PATH: process.env.PATH,
      ANTHROPIC_API_KEY: 'key-1',
      openrouter_api_key: 'key-2',
      MY_OWN_LLM: 'key-3',
      KEPT: 'kept',
    }
    const tool = runTool(workspaceWith(), {
      environment,
      passedVariables: ['*'],
      hiddenVariables: ['MY_OWN_LLM'],
    })
    const [, text] = await outcomeOf(tool, { command: 'env' })
    expect(text).toContain('KEPT=kept')
    expect(text).not.toMatch(/key-\d/)
  })

  it('shows head and tail of a long output, and keeps what the limit allows', async () => {
    const limits = { ...OUTPUT_LIMITS, shownChars: 600, keptChars: 20_000 }
    const tool = runTool(workspaceWith(), { limits })
    const outcome = await call(tool, { command: 'seq 1 100000' })
    expect(outcome.content[0]?.text?.length).toBeLessThan(20_200)
    expect(outcome.content[0]?.text).toMatch(
      /^1\n2\n[\s\S]*characters left out here and not kept[\s\S]*\n100000\n\[exit code 0\]$/,
    )
    expect(seen(outcome)).toMatch(/^1\n2\n[\s\S]*left out …\][\s\S]*\n100000\n\[exit code 0\]$/)
    expect(seen(outcome).length).toBeLessThan(700)
  })

  it('takes an output without end in bounded memory until its time is over', async () => {
    const limits = { ...OUTPUT_LIMITS, keptChars: 10_000 }
    const tool = runTool(workspaceWith(), { ...QUICK, limits })
    const outcome = await call(tool, { command: 'yes 0123456789', timeoutMs: 300 })
    expect(outcome.status).toBe('failed')
    expect(outcome.content[0]?.text).toMatch(/\[ended after 300 ms, its time limit\]$/)
    expect(outcome.content[0]?.text?.length).toBeLessThan(10_300)
  })

  it.each([
    ['abort', GRANDCHILD, true, 60_000],
    ['time-out', GRANDCHILD, false, 2_000],
    ['abort, though it will not end', STUBBORN, true, 60_000],
    ['time-out, though it will not end', STUBBORN, false, 2_000],
  ])('ends the whole group on %s', async (_, command, isAborted, timeoutMs) => {
    const { outcome, pid } = await ended(command, { isAborted, timeoutMs })
    expect(outcome.status).toBe(isAborted ? 'aborted' : 'failed')
    expect(seen(outcome)).toBe(isAborted ? '[aborted]' : '[ended after 2,000 ms, its time limit]')
    await until('the end of the process', () => !isAlive(pid))
  })

  it('ends what a command leaves in the background, and says so', async () => {
    const { outcome, pid } = await ended('sleep 60 & echo $! > pid; sleep 0.3', {
      isAborted: false,
      timeoutMs: 60_000,
    })
    expect(seen(outcome)).toBe('[exit code 0; what it left in the background was ended]')
    await until('the end of the process', () => !isAlive(pid))
  })

  it('lets what still writes come to its end', async () => {
    const workspace = workspaceWith()
    const [, text] = await outcomeOf(runTool(workspace, { settleMs: 60_000 }), {
      command: 'echo late > >(sleep 0.03; cat > out.txt)',
    })
    expect(text).toBe('[exit code 0]')
    expect(readFileSync(join(workspace.root, 'out.txt'), 'utf8')).toBe('late\n')
  })

  it.each([
    'exec sleep 60',
    'trap "" TERM; while true; do sleep 0.05; done',
    '(setsid sleep 60 &) ; exec sleep 60',
  ])('ends what left the group as well, and says so: %s', async (then) => {
    const { outcome, pid } = await ended(
      `setsid sh -c 'echo $$ > pid; ${then}' > /dev/null 2>&1 & sleep 0.3; echo done`,
      { isAborted: false, timeoutMs: 60_000 },
    )
    expect(seen(outcome)).toBe('done\n[exit code 0; what it left in the background was ended]')
    await until('the process to end', () => !isAlive(pid))
  })

  it('does not wait for a process that cannot be found', async () => {
    const workspace = workspaceWith()
    const tool = runTool(workspace, QUICK)
    const command = "env -i setsid sh -c 'echo $$ > pid; exec sleep 60' & sleep 0.3; echo done"
    expect(seen(await call(tool, { command }))).toBe('done\n[exit code 0]')
    process.kill(Number(readFileSync(join(workspace.root, 'pid'), 'utf8')), 'SIGKILL')
  })

  it('shows output while it runs', async () => {
    const workspace = workspaceWith()
    const shown: string[] = []
    // The command goes on when its first line was shown, however late that is.
    const onProgress = (text: string) => {
      shown.push(text)
      writeFileSync(join(workspace.root, 'shown'), '')
    }
    const command = 'echo one; until [ -e shown ]; do sleep 0.01; done; echo two'
    await runTool(workspace, QUICK).run({ command }, { ...toolRun(), onProgress })
    expect(shown.join('')).toBe('one\ntwo\n')
    expect(shown[0]).toBe('one\n')
  })

  it('is not started where it was aborted before', async () => {
    const workspace = workspaceWith()
    const outcome = await call(runTool(workspace), { command: 'touch x' }, AbortSignal.abort())
    expect(outcome.status).toBe('aborted')
    expect(existsSync(join(workspace.root, 'x'))).toBe(false)
  })

  it.each([
    [{ command: '' }, '`command`: Too small'],
    [{ command: 'a\0b' }, '`command`: must not hold control characters ([U+0000] at 1)'],
    [{ command: 'true', timeoutMs: 0 }, '`timeoutMs`: Too small'],
    [{ command: `true ${'x'.repeat(300_000)}` }, 'It is too long: write a script and run that.'],
  ])('answers wrong input with a sentence', async (input, sentence) => {
    expect(await outcomeOf(runTool(workspaceWith()), input)).toEqual([
      'failed',
      expect.stringContaining(sentence),
    ])
  })

  it('is about the whole command, line ends included', () => {
    const tool = runTool(workspaceWith())
    expect(tool.subjectOf({ command: 'git status\nrm x' })).toBe('git status\nrm x')
    expect(tool.subjectOf(['no object'])).toBe('')
  })
})
