// A real app for tests: the real agent on a store and the strict stand-in, asked through the real client.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Agent } from '../../src/agent/agent.ts'
import { type Composed, compose } from '../../src/compose.ts'
import { type AppOptions, composeApp } from '../../src/compose-app.ts'
import type { Clock } from '../../src/core/ports.ts'
import { resolveSettings } from '../../src/core/settings/settings.ts'
import { type DevModel, type DevModelOptions, startDevModel } from '../../src/dev-model/index.ts'
import type { Client, StreamItem, ThreadDetail } from '../../src/protocol/client.ts'
import { createClient, type Transport } from '../../src/protocol/http-client.ts'
import { TokenBook } from '../../src/server/accounts/tokens.ts'
import type { App } from '../../src/server/app.ts'
import { openStore } from '../../src/stores/index.ts'
import { systemClock } from '../../src/system.ts'
import { MODEL } from '../agent/host.ts'
import { storeIn } from '../scale.ts'
import { within } from '../wait.ts'

export interface AppSetup {
  readonly dev: DevModel
  readonly home: Composed
  readonly app: App
  readonly agent: Agent
  readonly client: Client
  readonly folder: string // the workspace
  /** A request past the client, as anybody could send it. */
  ask(path: string, init?: RequestInit): Promise<Response>
}

export interface AppSetupOptions extends Partial<AppOptions> {
  readonly dev?: DevModelOptions
  readonly windowTokens?: number
  /** Further settings. */
  readonly values?: Record<string, unknown>
  /** Of the pauses between requests to the model. */
  readonly modelClock?: Clock
  readonly token?: string // that the client sends
  /** Whether it asks for the tokens of the store, where there are some. */
  readonly hasTokens?: boolean
}

export const BASE_URL = 'http://localhost'

export async function setUpApp(options: AppSetupOptions = {}): Promise<AppSetup> {
  const { windowTokens = 200_000, values, token, dev: devOptions, ...rest } = options
  const { hasTokens = false, access, modelClock: clock, ...appOptions } = rest
  const dev = await startDevModel({ windowTokens, ...devOptions })
  const state = mkdtempSync(join(tmpdir(), 'precis-app-'))
  const folder = mkdtempSync(join(tmpdir(), 'precis-work-'))
  const settings = resolveSettings([
    {
      origin: 'flag',
      where: 'the test',
      values: {
        models: { default: MODEL },
        providers: { anthropic: { baseUrl: dev.url } },
        catalogue: {
          [MODEL]: { windowTokens, outputTokens: 1_000, price: { input: 1, output: 10 } },
        },
        ...values,
      },
    },
  ])
  const environment = { ANTHROPIC_API_KEY: 'test-key-of-nobody' }
  const store = await openStore(storeIn(state))
  const home = compose({ store, settings: settings.settings, environment, ...(clock && { clock }) })
  const tokens = hasTokens ? await TokenBook.open(home) : undefined
  const { app, agent, close } = composeApp(home, {
    settings,
    environment,
    version: '0.0.0',
    ...appOptions,
    access: { ...access, ...(tokens && { tokens }) },
    agent: { workspace: folder, ...appOptions.agent },
  })
  onTestFinished(async () => {
    await tokens?.close()
    await close()
    await home.close()
    await dev.close()
    for (const path of [state, folder]) rmSync(path, { recursive: true, force: true })
  })
  const client = createClient(transportTo(app.fetch, BASE_URL, token))
  const ask = async (path: string, init: RequestInit = {}) =>
    app.fetch(new Request(`${BASE_URL}/api${path}`, init))
  return { dev, home, app, agent, client, folder, ask }
}

export function transportTo(fetch: Transport['fetch'], baseUrl: string, token?: string): Transport {
  return {
    fetch,
    baseUrl,
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
    ...(token !== undefined && { token }),
  }
}

/** Shorter than the time that a test has. */
const FOLLOW_MS = 100_000

/** Everything that a follower is told until `isLast`, which must come. */
export async function followUntil(
  client: Client,
  { threadId, version }: Pick<ThreadDetail, 'threadId' | 'version'>,
  isLast: (item: StreamItem) => boolean,
  onConnected?: () => void,
): Promise<StreamItem[]> {
  const stop = new AbortController()
  const items: StreamItem[] = []
  const follow = async () => {
    for await (const item of client.follow(threadId, version, stop.signal, onConnected)) {
      items.push(item)
      // Without a further turn of the loop: what had arrived with it would be handed out as well.
      if (isLast(item)) return items
    }
    return items
  }
  const what = () => `the last item of ${threadId} after ${items.length} others`
  return within(what, follow(), FOLLOW_MS).finally(() => stop.abort())
}

export function isFrame(type: string): (item: StreamItem) => boolean {
  return (item) => item.kind === 'frame' && item.frame.type === type
}

/** Says something and waits for the end of the turn, which a stream that is connected later is not told. */
export async function converse(client: Client, threadId: string, text: string): Promise<void> {
  const connected = Promise.withResolvers<void>()
  const thread = await client.thread(threadId)
  const ended = followUntil(client, thread, isFrame('turn-end'), connected.resolve)
  ended.catch(connected.reject)
  await connected.promise
  await client.send(threadId, text)
  await ended
}
