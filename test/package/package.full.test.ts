// The packed library, as people install it: its programs run, it bundles for a browser, and its manifest is right
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createContext, Script } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { publint } from 'publint'
import { type OutputAsset, type OutputChunk, rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DevModel, startDevModel } from '../../src/dev-model/index.ts'
import { ROOT } from '../docs/page.ts'
import { requirement } from '../require.ts'
import { installLibrary, type Project } from './installed.ts'
import { runtimeProgram } from './runtimes.ts'

const PACKAGES = [
  '@anthropic-ai/sdk',
  'openai',
  'ai',
  '@langchain/core',
  'langchain',
  '@mastra/core',
]
let project: Project
let standIn: DevModel

beforeAll(async () => {
  project = await installLibrary(PACKAGES)
  standIn = await startDevModel({
    models: ['claude-opus-5-5', 'gpt-5.5'],
    script: () => ({ text: 'Done.' }),
  })
})
afterAll(async () => {
  await standIn?.close()
  project?.remove()
})

describe('the programs', () => {
  it.each([
    ['anthropic.mjs', 'true assistant'],
    ['openai.mjs', 'true assistant'],
    ['ai-sdk-step.mjs', 'true Done.'],
    ['ai-sdk-middleware.mjs', 'true Done.'],
    ['langchain.mjs', 'true 302'],
    ['mastra.mjs', 'true Done.'],
    ['loop.mjs', 'measured true true'],
    ['strategy.mjs', '51 Much was said.'],
    ['browser.js', 'true 4'],
    ['browser-light.js', 'true'],
  ])('%s prints %s', async (name, printed) => {
    const { stdout, stderr } = await project.run([join('programs', name)], {
      ANTHROPIC_API_KEY: 'any',
      ANTHROPIC_BASE_URL: standIn.url,
      OPENAI_API_KEY: 'any',
      OPENAI_BASE_URL: `${standIn.url}/v1`,
    })
    expect(stderr).toBe('')
    expect(stdout.trim()).toBe(printed)
  })

  it.each([
    ['anthropic.mjs', 5],
    ['openai.mjs', 5],
    ['loop.mjs', 15],
  ])('%s has at most %i lines, without imports and what plays the model', (name, most) => {
    const text = readFileSync(join(ROOT, 'samples/library', name), 'utf8').split(
      '\nasync function',
    )[0]
    const lines = (text ?? '')
      .split('\n')
      .filter((line) => line !== '' && !/^(?:\/\/|import)/.test(line))
    expect(lines.length).toBeLessThanOrEqual(most)
  })
})

/** `npx node test/package/install-runtimes.ts` brings them from the registry. */
describe.each([
  ['bun', ['run']],
  ['deno', ['run', '--allow-read', '--allow-env', '--node-modules-dir=manual']],
] as const)('in %s', (name, args) => {
  const { available, notice } = requirement(name)

  it.skipIf(!available)(`runs what a browser runs ${notice}`, async () => {
    const program = runtimeProgram(name)
    const { stdout } = await promisify(execFile)(program, [...args, 'programs/browser.js'], {
      cwd: project.folder,
      timeout: 60_000,
    })
    expect(stdout.trim()).toBe('true 4')
  })
})

describe('in workerd', () => {
  const { available, notice } = requirement('workerd')

  it.skipIf(!available)(`runs what a browser runs ${notice}`, async () => {
    const worker = join(project.folder, 'programs/worker.js')
    writeFileSync(worker, "import './browser.js'\nexport default { test() {} }\n")
    writeFileSync(join(project.folder, 'bundled.js'), await bundleWhole(worker))
    writeFileSync(join(project.folder, 'worker.capnp'), WORKER)
    const args = ['test', 'worker.capnp']
    const { stdout } = await promisify(execFile)(runtimeProgram('workerd'), args, {
      cwd: project.folder,
      timeout: 60_000,
    })
    expect(stdout.trim()).toBe('true 4')
  })
})

const WORKER = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .worker)]);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "bundled.js")],
  compatibilityDate = "2026-01-01",
);
`

async function bundleWhole(input: string): Promise<string> {
  const built = await rolldown({ input, platform: 'browser', logLevel: 'silent' })
  const { output } = await built.generate({ format: 'esm', codeSplitting: false })
  return output[0].code
}

const KIB = 1024

describe('the package', () => {
  it('is read by require', async () => {
    writeFileSync(join(project.folder, 'old.cjs'), "console.log(typeof require('precis').compact)")
    expect((await project.run(['old.cjs'])).stdout.trim()).toBe('function')
  })

  it('loads fewer modules than the AI SDK', async () => {
    const lines = [
      "import { registerHooks } from 'node:module'",
      'let count = 0',
      'registerHooks({ load: (url, context, next) => ((count += 1), next(url, context)) })',
      'await import(process.argv[2])',
      'console.log(count)',
    ]
    writeFileSync(join(project.folder, 'count.mjs'), lines.join('\n'))
    const [own, other] = await Promise.all([
      project.run(['count.mjs', 'precis']),
      project.run(['count.mjs', 'ai']),
    ])
    expect(Number(own.stdout)).toBeLessThan(Number(other.stdout) / 2)
  })

  it('names the package that is missing', async () => {
    const lines = [
      "import { openJobs, openStore } from 'precis/stores'",
      'const say = (error) => console.log(error.code, error.message, error.hint)',
      "for (const address of ['sqlite:x.db', 'postgres://127.0.0.1/x'])",
      '  await openStore(address).catch(say)',
      "await openJobs('postgres://127.0.0.1/x', {}).catch(say)",
    ]
    writeFileSync(join(project.folder, 'stores.mjs'), lines.join('\n'))
    expect((await project.run(['stores.mjs'])).stdout.trim().split('\n')).toEqual([
      'wrong-setup The package better-sqlite3 is not installed. It is an optional peer of precis: npm install better-sqlite3',
      'wrong-setup The package pg is not installed. It is an optional peer of precis: npm install pg',
      'wrong-setup The package pg-boss is not installed. It is an optional peer of precis: npm install pg-boss',
    ])
  })

  it('loads the SDK of a provider when it is first asked, and names the one that is missing', async () => {
    const lines = [
      "import { registerHooks } from 'node:module'",
      'const loaded = new Set()',
      'const note = (url) => /node_modules.((?:@anthropic-ai.)?(?:sdk|openai|ollama))\\b/.exec(url)?.[1]',
      'registerHooks({ load: (url, context, next) => (loaded.add(note(url)), next(url, context)) })',
      "const { anthropicProvider, ollamaProvider } = await import('precis/providers')",
      "const { systemClock: clock } = await import('precis')",
      "console.log('loaded:', [...loaded].join(' ').trim())",
      "const baseUrl = 'http://127.0.0.1:9'",
      "const request = { model: 'm', system: [], tools: [], toolChoice: 'auto', maxOutputTokens: 9, cache: false, messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] }",
      'const ask = async (provider) => { for await (const _ of provider.stream({ ...request, signal: AbortSignal.abort() })); }',
      'await ask(ollamaProvider({ clock, baseUrl })).catch((error) => console.log(error.message, error.hint))',
      "await ask(anthropicProvider({ clock, baseUrl, apiKey: 'any' })).catch((error) => console.log(error.code))",
      "console.log('loaded:', [...loaded].join(' ').trim())",
    ]
    writeFileSync(join(project.folder, 'providers.mjs'), lines.join('\n'))
    const { stdout, stderr } = await project.run(['providers.mjs'])
    expect(stdout.trim().split('\n'), stderr).toEqual([
      'loaded: ',
      'The package ollama is not installed. It is an optional peer of precis: npm install ollama',
      'aborted',
      'loaded: @anthropic-ai/sdk',
    ])
  })

  it('has no complaint of publint, and no source maps', async () => {
    const folder = join(project.folder, 'node_modules/precis')
    const { messages } = await publint({ pkgDir: folder, level: 'warning' })
    expect(messages).toEqual([])
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    expect(files.filter((name) => name.endsWith('.map'))).toEqual([])
  })

  it('has types that every way of resolving finds', async () => {
    const attw = join(ROOT, 'node_modules/@arethetypeswrong/cli/dist/index.js')
    const { stdout, isDone } = await project.run([
      attw,
      project.tarball,
      '--profile',
      'esm-only',
      '--format',
      'ascii',
    ])
    expect(isDone, stdout).toBe(true)
  })

  it.each([
    ['browser.js', [true, 4], 137_500],
    ['browser-light.js', [true], 60 * KIB],
  ])('%s runs in a host without anything of Node, and prints %j', async (name, out, most) => {
    const { code, bytes } = await bundle(name)
    expect(code).not.toMatch(/from\s*["'`]node:|require\(/)
    const printed: unknown[] = []
    const host = {
      console: { log: (...values: unknown[]) => printed.push(...values) },
      TextEncoder,
    }
    new Script(code).runInContext(createContext(host))
    expect(printed).toEqual(out)
    expect(bytes).toBeLessThan(most)
  })

  it('loads the whole ladder beside precis/light when it is asked for', async () => {
    const lines = [
      "import { compact } from 'precis/light'",
      "const { cascade } = await import('precis')",
      "const messages = Array.from({ length: 100 }, (_, n) => ({ role: 'user', content: String(n).repeat(100) }))",
      'console.log(compact(messages, { budget: 4_000, strategy: cascade }).changed)',
    ]
    const input = join(project.folder, 'programs/on-demand.js')
    writeFileSync(input, lines.join('\n'))
    expect((await project.run([input])).stdout.trim()).toBe('true')
    const built = await rolldown({ input, platform: 'browser', logLevel: 'silent' })
    const { output } = await built.generate({ format: 'esm', minify: true })
    expect(loadedFirst(output)).toBeLessThan(60 * KIB)
  })

  async function bundle(name: string): Promise<{ code: string; bytes: number }> {
    const built = await rolldown({
      input: join(project.folder, 'programs', name),
      platform: 'browser',
      logLevel: 'silent',
    })
    const { output } = await built.generate({ format: 'iife', minify: true })
    const chunks = (await built.generate({ format: 'esm', minify: true })).output
    return { code: output[0].code, bytes: loadedFirst(chunks) }
  }
})

/** The bytes of the entry and all that it imports, compressed: what a browser loads before anything runs. */
function loadedFirst(output: readonly (OutputChunk | OutputAsset)[]): number {
  const chunks = output.filter((chunk) => chunk.type === 'chunk')
  const first = new Set(chunks.filter(({ isEntry }) => isEntry))
  for (const { imports } of first)
    for (const chunk of chunks) if (imports.includes(chunk.fileName)) first.add(chunk)
  return gzipSync([...first].map(({ code }) => code).join('')).length
}
