// The whole story once with a real process in a real terminal: offered, compacted, continued, left, resumed.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { requirement } from '../require.ts'
import { until } from '../wait.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/precis.js', import.meta.url))
const PAUSE_MS = 100
const { available, notice } = requirement('tmux')

/** A terminal of its own, with a shell in it. */
class Tmux {
  readonly #socket = `precis-${randomBytes(4).toString('hex')}`

  constructor(environment: Readonly<Record<string, string>>, columns = 80, rows = 30) {
    const variables = Object.entries(environment).flatMap(([name, value]) => [
      '-e',
      `${name}=${value}`,
    ])
    const size = ['-x', String(columns), '-y', String(rows)]
    this.#run('-f', '/dev/null', 'new-session', '-d', ...size, ...variables, 'sh')
  }

  type(text: string): void {
    this.#run('send-keys', '-l', text)
  }
  press(...keys: readonly string[]): void {
    this.#run('send-keys', ...keys)
  }
  screen(): string {
    return this.#run('capture-pane', '-p')
  }
  close(): void {
    this.#run('kill-server')
  }

  async sees(wanted: string | RegExp, isThere = true): Promise<string> {
    let screen = ''
    const look = () => {
      screen = this.screen()
      return (
        isThere === (typeof wanted === 'string' ? screen.includes(wanted) : wanted.test(screen))
      )
    }
    const what = () =>
      `a screen ${isThere ? 'with' : 'without'} ${wanted}; this is the last one:\n${screen}\n`
    await until(what, look, { everyMs: PAUSE_MS })
    return screen
  }

  #run(...args: readonly string[]): string {
    return execFileSync('tmux', ['-L', this.#socket, ...args], { encoding: 'utf8' })
  }
}

function openTerminal(): { terminal: Tmux; command: string; pidFile: string } {
  const home = mkdtempSync(join(tmpdir(), 'precis-tmux-'))
  const terminal = new Tmux({
    PRECIS_HOME: join(home, 'state'),
    XDG_CONFIG_HOME: join(home, 'config'),
    PS1: 'shell> ',
    LC_ALL: 'C.UTF-8',
  })
  onTestFinished(() => {
    terminal.close()
    rmSync(home, { recursive: true, force: true })
  })
  const command = `${process.execPath} ${PROGRAM} chat`
  return { terminal, command, pidFile: join(home, 'pid') }
}

describe.skipIf(!available)(`in tmux ${notice}`, () => {
  it('offers /compact, starts a fresh session, goes on, and resumes it [FRESH-02, FRESH-19, FRESH-22, FRESH-27]', async () => {
    const { terminal, command } = openTerminal()
    terminal.type(`${command} --model dev\n`)
    await terminal.sees('queue 0')
    await terminal.sees('a stand-in')
    terminal.type('hello')
    terminal.press('Enter')
    await terminal.sees('You said “hello”')
    await terminal.sees(/billed [1-9]/)
    terminal.type('/com')
    expect(await terminal.sees('/compact')).toContain('Compact context into summary')
    terminal.press('Enter')
    const compacted = await terminal.sees('New session started with compacted context')
    expect(compacted).toContain('Context compacted. Summary:')
    expect(compacted).toContain('“hello”')
    await terminal.sees('billed 0')
    terminal.type('what now?')
    terminal.press('Enter')
    await terminal.sees('You said “what now?”')
    terminal.press('C-d')
    const left = await terminal.sees('Go on with:')
    expect(left).not.toContain('queue 0')
    const threadId = /chat (thr_\w+)/.exec(left)?.[1] ?? ''
    terminal.type(`${command} ${threadId} --model dev\n`)
    const resumed = await terminal.sees('You said “what now?”')
    expect(resumed).toContain('› what now?')
    terminal.press('PPage')
    await terminal.sees('Context compacted. Summary:')
    terminal.press('C-c', 'C-c')
    await terminal.sees('queue 0', false)
  })

  for (const signal of ['TERM', 'HUP'] as const)
    it(`gives the terminal back when it is ended by SIG${signal}, and leaves no empty thread`, async () => {
      const { terminal, command, pidFile } = openTerminal()
      terminal.type(`sh -c 'echo $$ > ${pidFile}; exec ${command} --model dev'\n`)
      await terminal.sees('queue 0')
      terminal.type('unfinished')
      await terminal.sees('unfinished')
      process.kill(Number(readFileSync(pidFile, 'utf8')), `SIG${signal}`)
      await terminal.sees('queue 0', false)
      terminal.type('echo raw=$(stty -a | grep -c -- "-icanon")\n')
      await terminal.sees('raw=0')
      terminal.type(`${command.replace(/chat$/, 'threads')}\n`)
      await terminal.sees('No threads yet.')
    })
})
