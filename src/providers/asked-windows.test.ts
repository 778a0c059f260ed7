// Windows asked of a server: who is slow, broken or unknown is not waited for, and bugs are not hidden.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Provider } from '../core/model.ts'
import { type FixtureServer, pausesKept, startFixtureServer } from './contract/fixture-server.ts'
import { openaiChatProvider } from './openai/chat.ts'
import { AskedWindows } from './registry.ts'

let server: FixtureServer
beforeEach(async () => {
  server = await startFixtureServer()
})
afterEach(() => server.close())

describe('a window', () => {
  const { clock } = pausesKept()
  const local = () => openaiChatProvider({ id: 'lmstudio', baseUrl: `${server.url}/v1`, clock })

  it('is not waited for longer than people wait', async () => {
    server.replyWith({ body: '', ending: 'silence' })
    const windows = new AskedWindows(clock, 50)
    expect(await windows.ask('lmstudio/m', local())).toBeUndefined()
    await server.asked[0]?.left
    expect(windows.known('lmstudio/m')).toBeUndefined()
  })

  it('is known afterwards, without asking', async () => {
    server.replyWith({ body: JSON.stringify({ data: [{ id: 'a/b', max_model_len: 4_096 }] }) })
    const windows = new AskedWindows(clock)
    expect(await windows.ask('lmstudio/a/b', local())).toBe(4_096)
    expect(windows.known('lmstudio/a/b')).toBe(4_096)
    expect(server.asked).toHaveLength(1)
  })

  it('hides no bug', async () => {
    const broken: Provider = {
      id: 'x',
      stream: local().stream,
      windowOf: () => Promise.reject(new TypeError('a bug')),
    }
    await expect(new AskedWindows(clock).ask('x/m', broken)).rejects.toThrow('a bug')
  })
})
