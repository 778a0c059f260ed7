// `precis send` and `precis threads` as people run them: their streams, their exit codes, Ctrl-C.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PRECIS, runPrecis } from '../../../test/cli/run.ts'
import { within } from '../../../test/wait.ts'

let folder: string
let work: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'precis-send-'))
  work = join(folder, 'work')
  mkdirSync(work)
  writeFileSync(join(work, 'notes.txt'), 'the port is 4321\n')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function environment() {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const own = { HOME: folder, XDG_CONFIG_HOME: folder, PRECIS_HOME: join(folder, 'home') }
  return { PATH, NODE_COMPILE_CACHE, ...own }
}

function precis(args: readonly string[], input = '') {
  return runPrecis(args, { cwd: work, environment: environment(), input })
}

function send(...args: string[]) {
  return precis(['send', '--model', 'dev', ...args])
}

async function latestThread(): Promise<string> {
  const [latest] = JSON.parse((await precis(['threads', '--json'])).stdout)
  return latest.threadId
}

describe('precis send', () => {
  it('streams the answer out, and what it does beside it', async () => {
    const { status, stdout, stderr } = await send('read notes.txt')
    expect(status).toBe(0)
    expect(stdout).toContain('the port is 4321')
    expect(stderr).toContain('→ read notes.txt')
    expect(stderr).toMatch(/Thread thr_\w+/)
  })

  it('begins a line of its own with each thing it says', async () => {
    const args = [PRECIS, 'send', '--model', 'dev', 'read notes.txt']
    const both = ['-c', '"$0" "$@" 2>&1', process.execPath, ...args]
    const { stdout } = spawnSync('sh', both, { cwd: work, env: environment(), encoding: 'utf8' })
    expect(stdout).toMatch(/^→ read notes\.txt$/m)
    expect(stdout).toMatch(/^Thread thr_\w+$/m)
    expect(stdout).not.toMatch(/\n\n/)
    // The words before the call and those after it do not run into each other, also in a pipe.
    expect((await send('read notes.txt')).stdout.trim().split('\n').length).toBeGreaterThan(1)
    expect((await send('Hello')).stdout).toMatch(/[^\n]\n$/)
  })

  it('goes on in a thread, and shows a compaction there [LOG-60a]', async () => {
    writeFileSync(join(work, 'notes.txt'), 'the port is 4321\n'.repeat(400))
    await send('read notes.txt')
    const thread = await latestThread()
    const compacted = await send('--thread', thread, '--preset', 'log', '/compact')
    expect(compacted.status).toBe(0)
    expect(compacted.stderr).toContain('🔄 Compacting conversation to reduce size...')
    expect(compacted.stderr).toMatch(/✅ Compaction complete! Reduced from \d+ to \d+ events/)
    expect(compacted.stderr).toMatch(/\nai-summarize: [\d,]+ → [\d,]+ tokens \(\d+ % less\)\n/)
    expect(compacted.stdout).toContain('✅ Conversation compacted successfully')
    expect((await send('--thread', thread, 'Hello again')).status).toBe(0)
    const [listed] = JSON.parse((await precis(['threads', '--json'])).stdout)
    expect(listed).toMatchObject({ threadId: thread, title: 'read notes.txt' })
  })

  it('tells a compaction once where a person reads both streams, and a failure once in any case', async () => {
    writeFileSync(join(work, 'notes.txt'), 'the port is 4321\n'.repeat(400))
    await send('read notes.txt')
    const thread = await latestThread()
    const unreachable = { ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' }
    const compact = async (preset: string, columns?: number, model = 'dev') => {
      let seen = ''
      const see = (piece: string) => {
        seen += piece
      }
      const args = ['send', '--model', model, '--thread', thread, '--preset', preset, '/compact']
      const streams = { onOutput: see, onError: see, ...(columns && { columns }) }
      const own = { ...environment(), ...unreachable }
      await runPrecis(args, { cwd: work, environment: own, ...streams })
      return seen
    }
    const told = await compact('log', 80)
    expect(told).toMatch(/🔄.*\n✅ Compaction complete! Reduced .*\nai-summarize: .*\n/)
    expect(told.match(/✅/g)).toHaveLength(1)
    expect(told.match(/tokens/g)).toHaveLength(1)
    const fresh = await compact('fresh', 80)
    expect(fresh).toMatch(/\nNew session started with compacted context\nThread thr_\w+\n$/)
    expect(fresh).not.toContain('✅')
    const failed = await compact('whole', undefined, 'anthropic/claude-opus-4-8')
    expect(failed.match(/Compaction failed: Asking anthropic failed/g)).toHaveLength(1)
    const nothing = await compact('log', 80, 'anthropic/claude-opus-4-8')
    expect(nothing).toMatch(/\nNothing was compacted: .* Asking anthropic failed: .*\. Then /)
    expect(nothing).not.toContain('Nothing to compact')
  })

  it('goes on in the new session that @compact opens: its answer is shown, and its thread named', async () => {
    writeFileSync(join(work, 'notes.txt'), 'the port is 4321\n'.repeat(400))
    await send('--preset', 'fresh', 'read notes.txt')
    const first = await latestThread()
    const { stdout, stderr } = await send('--thread', first, '@compact read notes.txt')
    expect(stdout).toContain('the port is 4321')
    const [, second] = /^Thread (thr_\w+)$/m.exec(stderr) ?? []
    expect(second).toBeDefined()
    expect(second).not.toBe(first)
    const told = await send('--thread', second ?? '', '--json', '@compact read notes.txt')
    const { threadId, text, context } = JSON.parse(told.stdout)
    expect([first, second]).not.toContain(threadId)
    expect(text).toContain('the port is 4321')
    expect(context.tokens).toBeGreaterThan(0)
  })

  it('knows after a new session what it knew before, and says who wrote its summary', async () => {
    await send('--preset', 'fresh', 'The port is 4321, remember it.')
    const first = await latestThread()
    const ask = async (thread: string) =>
      (await send('--thread', thread, 'What is the port?')).stdout
    const known = 'From my context: “The port is 4321, remember it.”\n'
    expect(await ask(first)).toBe(known)
    for (let session = 1; session <= 3; session += 1) {
      await send('--thread', await latestThread(), '/compact keep the port number')
      expect(await ask(await latestThread())).toBe(known)
    }
    const shown = (await precis(['export', await latestThread(), '--to', 'markdown'])).stdout
    expect(shown.match(/Written by the stand-in/g)).toHaveLength(1)
  })

  it('compacts with the stand-in by cascade unless a strategy is named', async () => {
    await send('read notes.txt')
    const thread = await latestThread()
    expect((await send('--thread', thread, '/compact')).stdout).toMatch(/cascade/)
    await send('--thread', thread, '/strategy keep-recent')
    expect((await send('--thread', thread, '/compact')).stdout).not.toMatch(/cascade/)
  })

  it('compacts once where the stand-in is told to, and answers then', async () => {
    await send('--preset', 'range', 'Hello')
    const thread = await latestThread()
    await send('--thread', thread, 'read notes.txt')
    const { stdout, stderr } = await send('--thread', thread, 'compact')
    expect(stderr.match(/🔄/g)).toHaveLength(1)
    expect(stdout).toContain('The conversation is compacted.')
  })

  it('tells the outcome as one JSON object', async () => {
    const { status, stdout } = await send('--json', 'Hello')
    expect(status).toBe(0)
    const told = JSON.parse(stdout)
    expect(told).toMatchObject({ status: 'done', context: { by: 'measured' } })
    expect(told.usage.totalTokens).toBeGreaterThan(0)
    expect(told.text).not.toBe('')
  })

  it('runs and writes nothing unless it is allowed to', async () => {
    expect((await send('run touch made.txt')).stderr).toContain('run: denied')
    expect(existsSync(join(work, 'made.txt'))).toBe(false)
    expect((await send('--read-only', '--yes', 'run touch made.txt')).status).toBe(0)
    expect(existsSync(join(work, 'made.txt'))).toBe(false)
    expect((await send('--allow', 'run:touch *', '--', 'run touch made.txt')).status).toBe(0)
    expect(existsSync(join(work, 'made.txt'))).toBe(true)
  })

  it('keeps what the settings pin through a compaction [NEED-17]', async () => {
    const settings = { pins: ['the harbour is tidal'], summaries: { instructions: 'be brief' } }
    mkdirSync(join(work, '.precis'))
    writeFileSync(join(work, '.precis', 'settings.json'), JSON.stringify(settings))
    await send('--trust-folder', 'read notes.txt')
    const thread = await latestThread()
    expect((await send('--thread', thread, '--preset', 'log', '/compact')).status).toBe(0)
    const pins = JSON.parse((await precis(['pins', thread, '--json'])).stdout)
    expect(pins).toMatchObject([{ text: 'the harbour is tidal', by: 'user' }])
    const shown = (await precis(['export', thread, '--to', 'markdown'])).stdout
    expect(shown).toContain('the harbour is tidal')
  })

  it('reads the message from standard input', async () => {
    const { status, stdout } = await precis(['send', '--model', 'dev', '-'], 'read notes.txt\n')
    expect(status).toBe(0)
    expect(stdout).toContain('4321')
  })

  it('keeps what it stores to its owner', async () => {
    await send('Hello')
    expect(statSync(join(folder, 'home')).mode & 0o077).toBe(0)
  })

  it.each([
    ['no message', ['send'], 2, 'missing required argument'],
    ['an empty one', ['send', ' '], 2, 'the message is empty'],
    ['no model', ['send', 'Hello'], 2, 'No model is set'],
    [
      'a folder that is none',
      ['send', '--model', 'dev', '--cwd', 'nowhere', 'x'],
      2,
      'is not a directory',
    ],
    [
      'an unknown thread',
      ['send', '--model', 'dev', '--thread', 'thr_0', 'x'],
      1,
      'thr_0 not found',
    ],
    ['an unknown preset', ['send', '--preset', 'rnage', 'x'], 2, 'preset: expected precis'],
    ['an unknown model', ['send', '--model', 'nobody/x', 'x'], 2, 'There is no provider'],
    ['no key', ['send', '--model', 'anthropic/claude-opus-5', 'x'], 1, 'no key for anthropic'],
    ['a bad limit', ['threads', '--limit', 'many'], 2, 'not a whole number'],
  ])('refuses %s', async (_, args, status, message) => {
    const outcome = await precis(args)
    expect(outcome.stderr).toContain(message)
    expect(outcome.status).toBe(status)
    const { stdout } = await precis(['threads', '--json'])
    expect(JSON.parse(stdout)).toEqual([])
  })

  it('stops on Ctrl-C and leaves a thread that can be gone on with', async () => {
    const child = spawn(
      process.execPath,
      [PRECIS, 'send', '--model', 'dev', '--yes', 'run sleep 30'],
      { cwd: work, env: environment() },
    )
    child.stderr.on('data', (data: Buffer) => {
      if (data.toString().includes('→ run')) child.kill('SIGINT')
    })
    const [status] = await within('the end of precis send', once(child, 'close'))
    expect(status).toBe(1)
    expect((await send('--thread', await latestThread(), 'Hello')).status).toBe(0)
  })
})

describe('precis threads', () => {
  it('says so where there are none', async () => {
    expect((await precis(['threads'])).stdout).toContain('No threads yet')
  })
})
