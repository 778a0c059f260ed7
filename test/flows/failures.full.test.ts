// What a person sees when a model cannot be asked: real servers, and no key in any of it.
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createPlainServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DevModel, startDevModel } from '../../src/dev-model/index.ts'
import { runPrecis } from '../cli/run.ts'
import { selfSigned } from '../self-signed.ts'
import { within } from '../wait.ts'

const SAMPLE = fileURLToPath(new URL('../../samples/session.json', import.meta.url))
const KEY = `sk-ant-${'q7Rz'.repeat(12)}`

let folder: string
let strict: DevModel
let silent: Server
let unsafe: Server
let closedUrl: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'precis-failures-'))
  strict = await startDevModel({ apiKey: 'the-one-key', models: ['m'] })
  silent = await listening(createPlainServer(() => undefined))
  unsafe = await listening(createTlsServer(selfSigned(), () => undefined))
  const gone = await listening(createPlainServer())
  closedUrl = urlOf(gone)
  gone.close()
})
afterAll(async () => {
  for (const server of [silent, unsafe]) server.close()
  await strict.close()
  rmSync(folder, { recursive: true, force: true })
})

async function listening(server: Server): Promise<Server> {
  server.listen(0, '127.0.0.1')
  await within('the server to listen', once(server, 'listening'))
  server.unref()
  return server
}

function urlOf(server: Server, scheme = 'http'): string {
  return `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Given {
  readonly model?: string
  readonly key?: string
  readonly providers?: object
}

/** `precis compact` with a summarising strategy, as a person runs it. */
async function summarize({ model, key, providers }: Given, ...flags: readonly string[]) {
  const config = mkdtempSync(join(folder, 'config-'))
  mkdirSync(join(config, 'precis'))
  writeFileSync(join(config, 'precis', 'settings.json'), JSON.stringify({ providers }))
  const args = ['compact', SAMPLE, '--strategy', 'summarize', ...flags]
  return runPrecis([...args, ...(model ? ['--model', model] : [])], {
    cwd: folder,
    environment: {
      HOME: folder,
      XDG_CONFIG_HOME: config,
      ...(key !== undefined && { ANTHROPIC_API_KEY: key }),
    },
  })
}

const MODEL = 'anthropic/m'
const at = (baseUrl: string, more: object = {}) => ({ anthropic: { baseUrl, ...more } })

const CASES: readonly (readonly [
  what: string,
  given: () => Given,
  code: string,
  message: RegExp,
  hint: RegExp,
])[] = [
  ['no model', () => ({}), 'no-model', /summarize needs a model, but no model is set/, /--model/],
  [
    'a base URL for a model',
    () => ({ model: 'http://127.0.0.1:1234/v1' }),
    'model-not-found',
    /address of a server, not a model/,
    /"baseUrl":"http:\/\/127\.0\.0\.1:1234\/v1".*lmstudio\/MODEL/,
  ],
  [
    'an unknown provider',
    () => ({ model: 'antropic/m' }),
    'model-not-found',
    /no provider "antropic"/,
    /Did you mean anthropic\/m\?/,
  ],
  [
    'no key',
    () => ({ model: MODEL }),
    'auth-failed',
    /There is no key for anthropic/,
    /Set ANTHROPIC_API_KEY/,
  ],
  [
    'a wrong key',
    () => ({ model: MODEL, key: KEY, providers: at(strict.url) }),
    'auth-failed',
    /anthropic refused the key \(401\)/,
    /Set ANTHROPIC_API_KEY to a valid key/,
  ],
  [
    'no server',
    () => ({ model: MODEL, key: KEY, providers: at(closedUrl) }),
    'unreachable',
    /There is no model server at http:\/\/127\.0\.0\.1:\d+/,
    /Start the server, or set another address in providers\.anthropic\.baseUrl/,
  ],
  [
    'an unknown model',
    () => ({ model: 'anthropic/n', key: 'the-one-key', providers: at(strict.url) }),
    'model-not-found',
    /anthropic has no model n \(404\)/,
    /Check the name of the model/,
  ],
  [
    'a certificate that nobody vouches for',
    () => ({ model: MODEL, key: KEY, providers: at(urlOf(unsafe, 'https')) }),
    'tls-failed',
    /No safe connection to https:\/\/127\.0\.0\.1:\d+/,
    /NODE_EXTRA_CA_CERTS/,
  ],
  [
    'https where only http is spoken',
    () => ({ model: MODEL, key: KEY, providers: at(urlOf(silent, 'https')) }),
    'tls-failed',
    /No safe connection/,
    /check the base URL/,
  ],
  [
    'no answer in time',
    () => ({ model: MODEL, key: KEY, providers: at(urlOf(silent), { timeoutMs: 200 }) }),
    'timeout',
    /did not begin to answer within 0\.2 s/,
    /set a longer providers\.anthropic\.timeoutMs/,
  ],
]

describe('a model that cannot be asked', () => {
  it.each(CASES)('is told as %s, with the next step and without the key', async (...row) => {
    const [, given, code, message, hint] = row
    const { status, stdout, stderr } = await summarize(given(), '--json')
    const expected = code === 'model-not-found' || code === 'no-model' ? 2 : 1
    expect({ status, stdout }).toEqual({ status: expected, stdout: '' })
    expect(JSON.parse(stderr).error).toMatchObject({
      code,
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    })
    expect(stderr).not.toContain(KEY)
  })

  it('is told to people in as few lines', async () => {
    const { stderr } = await summarize({ model: MODEL, key: KEY, providers: at(closedUrl) })
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/^precis: There is no model server at /),
      expect.stringMatching(/^ {2}where: anthropic\/m at http:/),
      expect.stringMatching(/^ {2}hint: Start the server/),
      '',
    ])
  })
})
