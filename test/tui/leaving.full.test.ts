// What a chat leaves behind, and how one goes on where one left: several chats on one store.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PRECIS, runPrecis } from '../cli/run.ts'
import { until } from '../wait.ts'

const NOTHING_SAID = 'Nothing was said: no thread is kept.'
const NONE_FOUND = 'No thread of this folder was found: this is a new one.'

interface Listed {
  readonly threadId: string
  readonly title: string
}

interface Place {
  /** Folders that threads work in. */
  readonly one: string
  readonly other: string
  /** Runs a command to its end, which has to be a good one. */
  precis(args: readonly string[], input?: string): Promise<string>
  chat(folder: string, input: string, ...options: readonly string[]): Promise<string>
  threads(): Promise<readonly Listed[]>
  readonly environment: NodeJS.ProcessEnv
}

function openPlace(): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'precis-leaving-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [one, other] = [join(root, 'one'), join(root, 'other')]
  for (const folder of [one, other]) mkdirSync(folder)
  const environment = { ...process.env, PRECIS_HOME: join(root, 'home'), XDG_CONFIG_HOME: root }
  const precis = async (args: readonly string[], input = '') => {
    const { status, stdout, stderr } = await runPrecis(args, { cwd: root, environment, input })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return stdout
  }
  return {
    one,
    other,
    precis,
    chat: (folder, input, ...options) =>
      precis(['chat', '--model', 'dev', '--cwd', folder, ...options], input),
    threads: async () => JSON.parse(await precis(['threads', '--json'])),
    environment,
  }
}

describe('a chat that is left at once', () => {
  it.each(['', '/help\n/exit\n'])('leaves no thread behind: %j', async (input) => {
    const place = openPlace()
    const said = await place.chat(place.one, input)
    expect(said).toContain(NOTHING_SAID)
    expect(said).not.toContain('Go on with:')
    expect(await place.threads()).toEqual([])
  })

  it('keeps what was done in it, though nothing was said', async () => {
    const place = openPlace()
    const said = await place.chat(place.one, '/pin Never push.\n')
    expect(said).toContain(`chat ${(await place.threads())[0]?.threadId}\n`)
    expect(said).not.toContain(NOTHING_SAID)
  })

  it('takes its empty thread along where another was resumed, and names that one', async () => {
    const place = openPlace()
    await place.chat(place.one, 'hello\n')
    const [before] = await place.threads()
    const said = await place.chat(place.one, `/resume ${before?.threadId}\n`)
    expect(said).toContain(`chat ${before?.threadId}\n`)
    expect(await place.threads()).toEqual([before])
  })

  it('leaves a thread alone that was named, however empty it is', async () => {
    const place = openPlace()
    await place.chat(place.one, '/pin Never push.\n/new\n')
    const before = await place.threads()
    const { threadId } = before[0] ?? { threadId: '' }
    expect(await place.precis(['chat', threadId, '--cwd', place.one])).toContain(
      `chat ${threadId}\n`,
    )
    expect(before).toHaveLength(2)
    expect(await place.threads()).toEqual(before)
  })

  it('keeps a thread that another process has written to', async () => {
    const place = openPlace()
    const args = [PRECIS, 'chat', '--model', 'dev', '--cwd', place.one]
    const chat = spawn(process.execPath, args, { env: place.environment })
    onTestFinished(() => void chat.kill())
    let said = ''
    const ended = text(
      chat.stdout.on('data', (more) => {
        said += more
      }),
    )
    await expect.poll(() => said, { timeout: 20_000 }).toContain('/exit leaves')
    // The greeting stands before the thread is written.
    const { threadId } = (await until(
      'the thread of the chat',
      async () => (await place.threads())[0],
    )) ?? {
      threadId: '',
    }
    await place.precis(['pins', threadId, '--add', 'Never push.'])
    chat.stdin.end()
    expect(await ended).toContain(`chat ${threadId}\n`)
    expect((await place.threads()).map((thread) => thread.threadId)).toEqual([threadId])
  })
})

describe('precis chat --continue', () => {
  it('goes on with what was used last in the folder', async () => {
    const place = openPlace()
    await place.chat(place.one, 'first here\n')
    await place.chat(place.one, 'second here\n')
    await place.chat(place.other, 'elsewhere\n')
    const [, second, first] = await place.threads()
    expect(await place.chat(place.one, '', '--continue')).toContain('You: second here\n')
    // Used last is not begun last.
    await place.precis(['chat', first?.threadId ?? '', '--cwd', place.one], 'again\n')
    const said = await place.chat(place.one, '', '-c')
    expect(said).toContain('You: again\n')
    expect(said).toContain(`chat ${first?.threadId}\n`)
    expect(await place.threads()).toHaveLength(3)
    expect(second?.title).toBe('second here')
  })

  it('says that there is none, and begins a new one', async () => {
    const place = openPlace()
    await place.chat(place.other, 'elsewhere\n')
    const said = await place.chat(place.one, 'hello\n', '-c')
    expect(said).toContain(NONE_FOUND)
    expect(said).not.toContain('elsewhere')
    expect(await place.threads()).toHaveLength(2)
  })

  it('finds the fresh session that a compaction has opened, and the folder by another path', async () => {
    const place = openPlace()
    await place.chat(place.one, 'hello\n/compact\n')
    const link = `${place.one}-link`
    symlinkSync(place.one, link)
    expect(await place.chat(link, '', '-c')).toContain('Context compacted. Summary:')
  })

  it('passes over threads in which nothing was said', async () => {
    const place = openPlace()
    await place.chat(place.one, 'hello\n/new\n')
    expect(await place.chat(place.one, '', '-c')).toContain('You: hello\n')
  })

  it('is refused beside a thread', async () => {
    const { one, environment } = openPlace()
    const { status, stderr } = await runPrecis(['chat', 'thr_x', '-c'], { cwd: one, environment })
    expect(status).toBe(2)
    expect(stderr).toContain('--continue')
  })
})
