// `precis serve` as people run it: a process of its own, its address, its end.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Client } from '../../src/protocol/client.ts'
import { createClient } from '../../src/protocol/http-client.ts'
import { MODEL } from '../agent/host.ts'
import { within } from '../wait.ts'
import { transportTo } from './setup.ts'

const PRECIS = fileURLToPath(new URL('../../bin/precis.js', import.meta.url))

export interface ServeChild {
  readonly url: string
  /** With the token of this machine in its fragment, where it wants one. */
  readonly pageUrl: string
  /** With that token, for requests past the client. */
  readonly headers: Readonly<Record<string, string>>
  readonly client: Client
  readonly process: ChildProcess
  clientWith(token: string): Client
  /** Its exit code, and what it said on standard error. */
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>
  end(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null>
}

/** A home whose model is the stand-in at that address. */
export function writeHome(folder: string, modelUrl: string, windowTokens = 200_000): void {
  const config = join(folder, 'config', 'precis')
  mkdirSync(config, { recursive: true })
  const settings = {
    models: { default: MODEL },
    providers: { anthropic: { baseUrl: modelUrl } },
    catalogue: { [MODEL]: { windowTokens, outputTokens: 8_000 } },
  }
  writeFileSync(join(config, 'settings.json'), JSON.stringify(settings))
}

export function environmentOf(folder: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    PRECIS_HOME: join(folder, 'home'),
    ANTHROPIC_API_KEY: 'test-key-of-nobody',
  }
}

/** Resolves when it answers, rejects where it ends before. */
export async function startServe(
  folder: string,
  args: readonly string[] = [],
  environment: NodeJS.ProcessEnv = {},
): Promise<ServeChild> {
  const child = spawn(process.execPath, [PRECIS, 'serve', '--port', '0', '--json', ...args], {
    cwd: folder,
    env: { ...environmentOf(folder), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = new Promise<{ code: number | null; stderr: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, stderr }))
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const { value } = await within('precis serve to say its address', lines.next())
  if (value === undefined) throw new Error(`it did not start: ${(await ended).stderr}`)
  const { url, pageUrl } = JSON.parse(value) as { url: string; pageUrl: string }
  const local = /#token=(.+)$/.exec(pageUrl)?.[1]
  const clientWith = (token?: string) =>
    createClient(transportTo((request) => fetch(request), url, token))
  return {
    url,
    pageUrl,
    headers: local === undefined ? {} : { authorization: `Bearer ${local}` },
    client: clientWith(local),
    clientWith,
    process: child,
    ended,
    async end(signal) {
      child.kill(signal)
      return (await within('the end of precis serve', ended)).code
    },
  }
}
