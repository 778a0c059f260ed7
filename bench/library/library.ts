// What it costs to install and to load the library, beside others of its kind; and how stable the prefix of requests is
import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { packLibrary } from '../../scripts/pack.ts'
import { compact } from '../../src/compactor/compact.ts'
import { createCompactor } from '../../src/compactor/compactor.ts'

const OTHERS = ['ai', '@langchain/core', '@mastra/memory'] as const
const IMPORTS: Readonly<Record<string, string>> = {
  precis: 'precis',
  ai: 'ai',
  '@langchain/core': '@langchain/core/messages',
  '@mastra/memory': '@mastra/memory',
}
const RUNS = 7

/** Packing and installing takes minutes and a network: with `--quick` only the prefixes are measured. */
export async function main(args: readonly string[]): Promise<number> {
  if (!args.includes('--quick')) await reportPackages()
  await reportPrefixes()
  return 0
}

async function reportPackages(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'precis-bench-'))
  try {
    const tarball = await packLibrary(folder)
    console.log('| package | packages | MB | modules | ms of processor | kB gzip of the import |')
    console.log('|---|---|---|---|---|---|')
    console.log(await measure(folder, 'precis', tarball))
    for (const name of OTHERS) console.log(await measure(folder, name, `${name}@latest`))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(parent: string, name: string, install: string): Promise<string> {
  const folder = join(parent, name.replaceAll('/', '_'), 'project')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const { status, stderr } = spawnSync('npm', ['install', '--no-audit', '--no-fund', install], {
    cwd: folder,
    encoding: 'utf8',
    // npm takes the newest version that runs on its own Node.
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
  })
  if (status !== 0) return `| ${name} | could not be installed: ${stderr.slice(0, 100)} |`
  const modules = join(folder, 'node_modules')
  const lock = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'))
  const packages = Object.keys(lock.packages).length
  const entry = IMPORTS[name] ?? name
  const { count, ms } = load(folder, entry)
  const gzip = await bundleSize(folder, entry)
  const megabytes = (bytesIn(modules) / 1e6).toFixed(1)
  return `| ${name} | ${packages} | ${megabytes} | ${count} | ${ms} | ${gzip} |`
}

/** Modules by a hook of the loader; the processor time is the median of several starts, less an empty one. */
function load(folder: string, entry: string): { readonly count: string; readonly ms: string } {
  writeFileSync(
    join(folder, 'empty.mjs'),
    'console.log(process.cpuUsage().user + process.cpuUsage().system)',
  )
  const timed = `await import('${entry}'); console.log(process.cpuUsage().user + process.cpuUsage().system)`
  writeFileSync(join(folder, 'timed.mjs'), timed)
  const hook = `import { registerHooks } from 'node:module'
const seen = new Set()
registerHooks({ load(url, context, next) { if (url.startsWith('file:')) seen.add(url); return next(url, context) } })
await import('${entry}')
console.log(seen.size)`
  writeFileSync(join(folder, 'counted.mjs'), hook)
  const median = (file: string) =>
    Array.from({ length: RUNS }, () => Number(node(folder, file))).toSorted((a, b) => a - b)[
      RUNS >> 1
    ] ?? 0
  const ms = ((median('timed.mjs') - median('empty.mjs')) / 1_000).toFixed(0)
  return { count: node(folder, 'counted.mjs').trim(), ms }
}

function node(cwd: string, file: string): string {
  const env = { ...process.env, NODE_COMPILE_CACHE: '' }
  return spawnSync(process.execPath, [file], { cwd, encoding: 'utf8', env }).stdout
}

async function bundleSize(folder: string, entry: string): Promise<string> {
  const input = join(folder, 'all.mjs')
  writeFileSync(input, `export * from '${entry}'`)
  try {
    const bundle = await rolldown({ input, platform: 'browser', logLevel: 'silent' })
    const { output } = await bundle.generate({ format: 'esm', minify: true })
    const chunks = output.flatMap((chunk) =>
      chunk.type === 'chunk' && !chunk.isDynamicEntry ? [chunk.code] : [],
    )
    return (gzipSync(chunks.join('')).length / 1_000).toFixed(0)
  } catch {
    return 'does not bundle'
  }
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce((sum, name) => {
    const stat = statSync(join(folder, name), { throwIfNoEntry: false })
    return stat?.isFile() ? sum + stat.size : sum
  }, 0)
}

const STEPS = 60
const WINDOW_TOKENS = 8_000

/** A loop of 60 steps: how much of each request the next one begins with, in bytes. */
async function reportPrefixes(): Promise<void> {
  const compactor = createCompactor<object>({ windowTokens: WINDOW_TOKENS })
  const kept: number[] = []
  const stateless: number[] = []
  let compactions = 0
  let before = { kept: '', stateless: '' }
  for (let steps = 1; steps <= STEPS; steps += 1) {
    const messages = loop(steps)
    const { messages: fitted, report } = await compactor.fit(messages)
    if (report) compactions += 1
    const plain = compact(messages, { budget: WINDOW_TOKENS * 0.8 }).messages
    const now = { kept: JSON.stringify(fitted), stateless: JSON.stringify(plain) }
    if (steps > 1 && !report) kept.push(prefixShare(before.kept, now.kept))
    if (steps > 1) stateless.push(prefixShare(before.stateless, now.stateless))
    before = now
  }
  const mean = (shares: readonly number[]) =>
    ((100 * shares.reduce((sum, share) => sum + share, 0)) / shares.length).toFixed(1)
  const broken = stateless.filter((share) => share < 0.999).length
  console.log(`\n${STEPS} steps, ${compactions} compactions. Bytes shared with the request before:`)
  console.log(`createCompactor, between compactions: ${mean(kept)} %`)
  console.log(
    `compact on every step: ${mean(stateless)} %, broken ${broken} of ${stateless.length} times`,
  )
}

function loop(steps: number): object[] {
  const rounds = Array.from({ length: steps }, (_, at) => [
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: `t${at}`, name: 'read', input: { path: `src/${at}.ts` } }],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: `t${at}`,
          content: Array.from({ length: 40 }, (_, line) => `line ${line} of file ${at}`).join('\n'),
        },
      ],
    },
  ])
  return [{ role: 'user', content: 'Repair all files.' }, ...rounds.flat()]
}

/** Without the bracket that ends the array. */
function prefixShare(before: string, after: string): number {
  const text = before.slice(0, -1)
  let same = 0
  while (same < text.length && text[same] === after[same]) same += 1
  return same / text.length
}
