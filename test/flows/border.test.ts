// What leaves the machine and what stays: secrets in prompts, exports, errors and the store.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { classifyFailure, printFailure } from '../../src/cli/terminal/failure.ts'
import { type ComposeOptions, compose } from '../../src/compose.ts'
import type { Store } from '../../src/core/ports.ts'
import type { ModelRef } from '../../src/core/view/content.ts'
import { type DevModel, type FaultKind, startDevModel } from '../../src/dev-model/index.ts'
import { pausesKept } from '../../src/providers/contract/fixture-server.ts'
import { PROVIDER_ENTRIES } from '../../src/providers/entries.ts'
import { modelPort } from '../../src/providers/model-port.ts'
import { redactedPort } from '../../src/providers/redacted-port.ts'
import { createRegistry } from '../../src/providers/registry.ts'
import { secretsOf } from '../../src/redact/known.ts'
import { openSqliteStore } from '../../src/stores/index.ts'
import { DEFAULT_STRATEGIES } from '../../src/strategies/index.ts'
import { randomIds } from '../../src/system.ts'
import { createThreads } from '../../src/threads/threads.ts'
import { runPrecis } from '../cli/run.ts'
import { system, user } from '../say.ts'

/** Put together here, so that no scanner takes this file for a leak. */
const AWS = `AKIA${'QWERTYUIOP234567'}`
const PASSWORD = 'corr3ct-h0rse'
/** In the system prompt, which goes along where the summary is asked for in the conversation. */
const GITHUB = `ghp_${'a1B2'.repeat(9)}`
/** No form tells that this is one: it is in the environment. */
const PLAIN_KEY = 'plain-words-and-nothing-else'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'precis-border-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

let dev: DevModel
beforeAll(async () => {
  dev = await startDevModel({ script: () => ({ text: 'They talked about keys.' }) })
})
afterAll(() => dev.close())

const PROVIDERS = ['anthropic', 'openai', 'openai-chat', 'lmstudio', 'ollama'] as const
const KEYS = {
  ANTHROPIC_API_KEY: PLAIN_KEY,
  OPENAI_API_KEY: PLAIN_KEY,
  OPENAI_COMPATIBLE_API_KEY: PLAIN_KEY,
  OLLAMA_API_KEY: PLAIN_KEY,
}

function settingsFor(url: string, model: string, policy?: 'always' | 'never') {
  const providers = Object.fromEntries(
    PROVIDERS.map((id) => {
      const path = id === 'anthropic' || id === 'ollama' ? '' : '/v1'
      return [id, { baseUrl: url + path, timeoutMs: 2_000 }]
    }),
  )
  return {
    models: { default: model },
    providers,
    ...(policy && { redactPrompts: policy }),
  } satisfies ComposeOptions['settings']
}

/** A conversation with `own` that holds secrets, then a summary of it by `other`. */
async function summarized(own: ModelRef, other: ModelRef, policy?: 'always' | 'never') {
  const store = await openSqliteStore(join(folder, 'threads.db'))
  const composed = compose({
    store,
    settings: settingsFor(dev.url, other, policy),
    environment: KEYS,
  })
  const { threads, model, close } = composed
  const id = await threads.create()
  await threads.append(id, [
    system(`You keep secrets: ${GITHUB}.`),
    user(`The id is ${AWS} and the key ${PLAIN_KEY}. ${'Nothing of note. '.repeat(200)}`),
    {
      type: 'AGENT_MESSAGE',
      data: { content: 'I will log in.', calls: ['c1'], model: own, stopReason: 'tool_use' },
    },
    {
      type: 'TOOL_CALL',
      data: { id: 'c1', name: 'login', arguments: { password: PASSWORD }, answer: 0 },
    },
    {
      type: 'TOOL_RESULT',
      data: {
        id: 'c1',
        content: [{ type: 'text', text: `DB_PASSWORD=${PASSWORD}` }],
        status: 'completed',
      },
    },
    { type: 'AGENT_MESSAGE', data: { content: 'Done.', calls: [], model: own } },
    user('Go on.'),
    user('And on.'),
  ])
  const before = dev.requests.length
  const outcome = await threads.compact(id, 'summarize', { provider: model })
  const [sent] = dev.requests.slice(before)
  const rows = JSON.stringify(await store.read(id))
  await close()
  return { outcome, sent: JSON.stringify(sent?.body), rows, asked: composed.asked() }
}

describe('a summary by another provider', () => {
  it.each(PROVIDERS.filter((id) => id !== 'anthropic'))(
    'is asked of %s without the secrets',
    async (id) => {
      const { outcome, sent, rows, asked } = await summarized('anthropic/m', `${id}/m`)
      expect(outcome.committed).toBe(true)
      for (const secret of [AWS, PLAIN_KEY, PASSWORD, GITHUB]) {
        expect(sent).not.toContain(secret)
        expect(rows).toContain(secret) // the store keeps everything
      }
      expect(sent).toContain('[redacted:aws-key]')
      expect(sent).toContain('You keep secrets: [redacted:github-token]') // asked in the conversation
      expect(rows).not.toContain('[redacted:')
      expect(asked).toMatchObject([{ ref: `${id}/m` }])
      expect(asked[0]?.redacted.map(({ kind }) => kind)).toContain('password')
    },
  )

  it('is asked of the own provider with every word', async () => {
    const { sent, asked } = await summarized('anthropic/m', 'anthropic/n')
    for (const secret of [AWS, PLAIN_KEY, PASSWORD, GITHUB]) expect(sent).toContain(secret)
    expect(asked).toMatchObject([{ ref: 'anthropic/n', redacted: [] }])
  })

  it('follows the settings', async () => {
    expect((await summarized('anthropic/m', 'openai/m', 'never')).sent).toContain(AWS)
    rmSync(join(folder, 'threads.db'))
    expect((await summarized('anthropic/m', 'anthropic/m', 'always')).sent).not.toContain(AWS)
  })
})

describe('an export', () => {
  async function compacted(...flags: readonly string[]): Promise<string> {
    const file = join(folder, 'in.json')
    const use = { type: 'tool_use', id: 'a', name: 'x', input: { token: AWS } }
    const messages = [
      { role: 'user', content: `The id is ${AWS}.` },
      { role: 'assistant', content: [use] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }] },
    ]
    const tools = [{ name: 'x', description: `uses ${AWS}`, input_schema: { type: 'object' } }]
    writeFileSync(file, JSON.stringify({ tools, messages }))
    const args = ['compact', file, '--output', '-', ...flags]
    const environment = { HOME: folder, XDG_CONFIG_HOME: folder }
    const { stdout, stderr } = await runPrecis(args, { cwd: folder, environment })
    expect(stderr).not.toContain(AWS) // the report
    return stdout
  }

  it('has no secrets in messages, calls and tools where that is asked for', async () => {
    const text = await compacted('--redact')
    expect(text).not.toContain(AWS)
    expect(text.match(/\[redacted:aws-key\]/g)).toHaveLength(3)
    expect(JSON.parse(text).messages).toHaveLength(3)
  })

  it('is what it was where it is not', async () => {
    expect((await compacted()).split(AWS)).toHaveLength(4)
  })
})

/** As `compose` does it, with pauses between attempts that take no time. */
function withoutPauses(store: Store, url: string, name: string) {
  const { clock } = pausesKept()
  const registry = createRegistry({
    entries: PROVIDER_ENTRIES,
    settings: settingsFor(url, name),
    environment: KEYS,
    clock,
  })
  const secrets = secretsOf(KEYS)
  return {
    threads: createThreads({ store, clock, ids: randomIds, strategies: DEFAULT_STRATEGIES }),
    model: redactedPort(modelPort(registry), { registry, secrets }),
  }
}

describe('keys', () => {
  const FAULTS: readonly FaultKind[] = [
    'overflow',
    'rate-limit',
    'overloaded',
    'server-error',
    'cut-off',
    'drop',
    'empty',
    'refusal',
  ]

  it.each(PROVIDERS)('of %s are in no error, no log and no store, whatever fails', async (id) => {
    const strict = await startDevModel({
      apiKey: 'another-key',
      models: ['m'],
    })
    const path = join(folder, 'threads.db')
    const failures: unknown[] = []
    for (const url of [dev.url, strict.url, 'http://127.0.0.1:1', 'https://127.0.0.1:1']) {
      const store = await openSqliteStore(path)
      const { threads, model } = withoutPauses(store, url, `${id}/m`)
      const thread = await threads.create()
      await threads.append(thread, [
        user(`Go. ${'Nothing of note. '.repeat(200)}`),
        { type: 'AGENT_MESSAGE', data: { content: 'Gone.', calls: [], model: `${id}/m` } },
        user('Go on.'),
        user('And on.'),
      ])
      for (const kind of url === dev.url ? FAULTS : [undefined]) {
        if (kind) dev.fail({ kind, times: 5, retryAfterS: 3_600 })
        await threads
          .compact(thread, 'summarize', { provider: model })
          .catch((thrown: unknown) => failures.push(thrown))
      }
      await store.close()
    }
    await strict.close()
    expect(failures.length).toBeGreaterThanOrEqual(8)
    for (const failure of failures) {
      const error = classifyFailure(failure)
      const secrets = secretsOf(KEYS)
      for (const shown of [
        inspect(failure, { depth: 20, showHidden: true }),
        JSON.stringify(failure),
        printFailure(error, true, secrets, 'precis'),
        printFailure(error, false, secrets, 'precis'),
      ])
        expect(shown).not.toContain(PLAIN_KEY)
      if (error.code !== 'model-failed') expect(error.hint).toMatch(/\.$/)
    }
    for (const name of readdirSync(folder).filter((each) => each.startsWith('threads.db')))
      expect(readFileSync(join(folder, name)).includes(PLAIN_KEY)).toBe(false)
  })

  it('that a user wrote into a file are not in what is told about it', () => {
    const secrets = secretsOf({ MY_TOKEN: PLAIN_KEY })
    const error = classifyFailure(new Error(`cannot read ${PLAIN_KEY} or password=${PASSWORD}`))
    for (const json of [true, false]) {
      const told = printFailure(error, json, secrets, 'precis')
      expect(told).not.toContain(PLAIN_KEY)
      expect(told).not.toContain(PASSWORD)
      expect(told).toContain('[redacted:MY_TOKEN]')
    }
  })
})
