// `precis serve` as a process: started, asked, stopped, and gone on with; and `precis token`.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type DevModelOptions, startDevModel } from '../../src/dev-model/index.ts'
import type { StreamItem } from '../../src/protocol/client.ts'
import { TokenBook } from '../../src/server/accounts/tokens.ts'
import { quietHost, type Ran, runPrecis } from '../cli/run.ts'
import { until } from '../wait.ts'
import { temporaryFolder } from './folder.ts'
import { environmentOf, type ServeChild, startServe, writeHome } from './serve-child.ts'
import { converse, followUntil, isFrame } from './setup.ts'

interface Home {
  readonly folder: string
  serve(...args: string[]): Promise<ServeChild>
  precis(...args: string[]): Promise<Ran>
}

async function setUpHome(options: DevModelOptions = {}): Promise<Home> {
  const dev = await startDevModel(options)
  const folder = temporaryFolder()
  writeHome(folder, dev.url)
  const children: ServeChild[] = []
  onTestFinished(async () => {
    for (const child of children) if (child.process.exitCode === null) await child.end('SIGKILL')
    await dev.close()
  })
  return {
    folder,
    async serve(...args) {
      const child = await startServe(folder, args)
      children.push(child)
      return child
    },
    precis: (...args) => runPrecis(args, { cwd: folder, environment: environmentOf(folder) }),
  }
}

/** Answers in pieces that come slowly enough to be stopped in the middle. */
const SLOWLY: DevModelOptions = {
  pieceDelayMs: 20,
  script: () => ({ text: 'word '.repeat(400) }),
}

async function answersIn(child: ServeChild, threadId: string): Promise<(string | undefined)[]> {
  const events = await child.client.events(threadId)
  return events.flatMap((event) =>
    event.type === 'AGENT_MESSAGE' ? [event.data.stopReason ?? 'none'] : [],
  )
}

describe('precis serve', () => {
  it('answers on the loopback until it is stopped, and its threads are there again', async () => {
    const { serve } = await setUpHome()
    const first = await serve()
    expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(await (await fetch(`${first.url}/api/health`)).json()).toEqual({
      status: 'ok',
      store: 'ok',
    })
    expect(await (await fetch(`${first.url}/api/ready`)).json()).toEqual({ status: 'ready' })
    const { threadId, workspace } = await first.client.createThread({ title: 'kept' })
    expect(workspace).toBeUndefined() // no folder of this disk, unless one was allowed
    await converse(first.client, threadId, 'Hello')
    expect(await first.end('SIGINT')).toBe(0)
    const second = await serve()
    expect((await second.client.thread(threadId)).title).toBe('kept')
    expect(await answersIn(second, threadId)).toHaveLength(1)
    expect(await second.end('SIGTERM')).toBe(0)
    expect((await second.ended).stderr).toBe('')
  })

  const REFUSED = [
    [['--host', '0.0.0.0'], 'requires a token'],
    [['--port', '99999'], 'out of range'],
    [['--grace', 'long'], 'not a whole number'],
    [['--workspace', 'no-such-folder'], 'no-such-folder'],
    [['--store', 'mysql://x'], 'There is no store'],
    [['--alow', 'x'], 'unknown option'],
  ] as const
  it('does not start where something is wrong, and says what', async () => {
    const { precis } = await setUpHome()
    for (const [args, words] of REFUSED) {
      const { status, stderr } = await precis('serve', '--port', '0', ...args)
      expect(status, stderr).toBeGreaterThan(0)
      expect(stderr).toContain(words)
      expect(stderr).not.toContain('    at ')
    }
  })

  it('no longer follows its tokens where it fails before it listens', async () => {
    const { folder } = await setUpHome()
    const closing = vi.spyOn(TokenBook.prototype, 'close')
    onTestFinished(() => closing.mockRestore())
    const host = Object.assign(quietHost(), {
      removeAllListeners() {
        throw new Error('This host does not let go.')
      },
    })
    const environment = environmentOf(folder)
    const { status } = await runPrecis(['serve', '--port', '0'], { cwd: folder, environment, host })
    expect(status).toBe(1)
    expect(closing).toHaveBeenCalledOnce()
  })

  it('says so where the port is taken', async () => {
    const { serve, precis } = await setUpHome()
    const { port } = new URL((await serve()).url)
    const { status, stderr } = await precis('serve', '--port', port)
    expect(status).toBe(1)
    expect(stderr).toContain(`Another program uses the port ${port}`)
  })

  it('listens beyond this machine only with tokens, which are made, listed and revoked', async () => {
    const { serve, precis } = await setUpHome()
    const { token } = JSON.parse((await precis('token', 'add', 'ada', '--json')).stdout)
    expect((await precis('token', 'add', 'phone', '--owner', 'ada')).stdout).toMatch(
      /^precis_\S{43}\n$/,
    )
    expect((await precis('token', 'add', 'ada')).stderr).toContain(
      'A token named ada already exists',
    )
    const listed = JSON.parse((await precis('token', 'list', '--json')).stdout)
    expect(listed.tokens).toMatchObject([
      { name: 'ada', owner: 'ada' },
      { name: 'phone', owner: 'ada' },
    ])
    expect((await precis('token', 'list')).stdout).not.toContain(token)
    const child = await serve('--host', '0.0.0.0')
    const url = child.url.replace('0.0.0.0', '127.0.0.1')
    const status = async (authorization: string) =>
      (await fetch(`${url}/api`, { headers: { authorization } })).status
    expect(await status('')).toBe(401)
    expect(await status(`Bearer ${token}`)).toBe(200)
    expect((await precis('token', 'revoke', 'ada')).status).toBe(0)
    await until('the token to be refused', async () => (await status(`Bearer ${token}`)) === 401)
    expect((await precis('token', 'revoke', 'ada')).status).toBe(1)
  })
})

describe('what precis serve writes into its log', () => {
  it('has no secrets in it', async () => {
    const dev = await startDevModel()
    onTestFinished(() => dev.close())
    const folder = temporaryFolder()
    writeHome(folder, dev.url)
    // Something in it goes wrong when it is told so, and says too much.
    const fault = `import { isMainThread } from 'node:worker_threads'
      if (isMainThread)
        process.on('SIGUSR2', () => process.emitWarning('the key test-key-of-nobody failed'))`
    const child = await startServe(folder, [], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(fault)}`,
    })
    let log = ''
    child.process.stderr?.on('data', (piece: string) => {
      log += piece
    })
    child.process.kill('SIGUSR2')
    await until('the warning in the log', () => /the key .* failed/.test(log))
    expect(await child.end('SIGTERM')).toBe(0)
    expect((await child.ended).stderr).not.toContain('test-key-of-nobody')
  })
})

describe('precis serve that is stopped', () => {
  it('finishes a turn that runs, tells its followers, and takes in nothing new', async () => {
    const { serve } = await setUpHome({ ...SLOWLY, script: () => ({ text: 'word '.repeat(60) }) })
    const child = await serve()
    const thread = await child.client.createThread()
    const following = followUntil(child.client, thread, isFrame('turn-end'))
    await child.client.send(thread.threadId, 'Go')
    const ended = child.end('SIGTERM')
    const begin = () =>
      fetch(`${child.url}/api/threads`, { method: 'POST', headers: child.headers }).then(
        ({ status }) => status,
        () => 'no connection',
      )
    await until('a new thread to be refused', async () =>
      [503, 'no connection'].includes(await begin()),
    )
    const items = await following
    expect(items.at(-1)).toMatchObject({ frame: { type: 'turn-end', end: 'done' } })
    expect(await ended).toBe(0)
    const next = await serve()
    expect(await answersIn(next, thread.threadId)).toEqual(['end'])
  })

  it('leaves a turn that takes too long to the next process, with what waits in the inbox', async () => {
    const { serve } = await setUpHome(SLOWLY)
    const child = await serve('--grace', '0')
    const { threadId, version } = await child.client.createThread()
    await child.client.send(threadId, 'Go')
    expect(await child.client.send(threadId, 'And this')).toMatchObject({ status: 'queued' })
    expect(await child.end('SIGTERM')).toBe(0)
    const next = await serve()
    const said = await saidUntilQuiet(next, threadId, version)
    expect(said).toEqual(['Go', 'And this'])
    expect((await next.client.thread(threadId)).queued).toBe(0)
    // Once gone on with, it is not begun again.
    const answers = await answersIn(next, threadId)
    await next.end('SIGTERM')
    const third = await serve()
    await third.client.thread(threadId)
    expect(await answersIn(third, threadId)).toEqual(answers)
  })

  it('ends at once when it is told a second time', async () => {
    const { serve } = await setUpHome(SLOWLY)
    const child = await serve('--grace', '600')
    const { threadId } = await child.client.createThread()
    await child.client.send(threadId, 'Go')
    child.process.kill('SIGTERM')
    await until('the server to refuse', async () => {
      const { url, headers } = child
      return !(await fetch(`${url}/api/threads`, { headers }).catch(() => undefined))?.ok
    })
    expect(await child.end('SIGTERM')).toBe(0)
  })
})

/** What the user has said in the log, when the last answer is whole. */
async function saidUntilQuiet(child: ServeChild, threadId: string, after: number) {
  const said: string[] = []
  const isLast = (item: StreamItem) => {
    if (item.kind !== 'event') return false
    const { event } = item
    if (event.type === 'USER_MESSAGE') said.push(String(event.data))
    return event.type === 'AGENT_MESSAGE' && event.data.stopReason === 'end' && said.length > 1
  }
  await followUntil(child.client, { threadId, version: after }, isLast)
  return said
}
