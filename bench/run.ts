// The benchmarks by name: `npm run bench -- core`, or all of them. Each lives in a folder of its name.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { CORPUS, requirement } from '../test/require.ts'
import { runBenchmark } from './benchmark.ts'
import { BENCHMARKS } from './benchmarks.ts'

/** Takes the arguments behind its name and gives the exit code. */
type Run = (args: readonly string[]) => Promise<number>

const BENCHES: Readonly<Record<string, Run>> = {
  core: async (args) => (await import('./core/core.ts')).main(args),
  ...Object.fromEntries(
    Object.entries(BENCHMARKS).map(([name, bench]): [string, Run] => [
      name,
      async (args) => (name === 'page' && isWithoutBrowser() ? 0 : runBenchmark(name, bench, args)),
    ]),
  ),
  library: async (args) => (await import('./library/library.ts')).main(args),
  retention: async (args) => (await import('./retention/retention.ts')).main(args),
  recall: async (args) => (await import('./recall/recall.ts')).main(args),
  chains: async (args) => (await import('./chains/chains.ts')).main(args),
  models: async (args) => (await import('./models/models.ts')).main(args),
}

const [name = '', ...args] = process.argv.slice(2)
const SELF = fileURLToPath(import.meta.url)
process.exitCode = await run()

async function run(): Promise<number> {
  if (name === 'all') return runAll()
  const bench = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined
  if (bench) return bench(args)
  const asked = name === '' ? 'No benchmark was named.' : `There is no benchmark ${name}.`
  process.stderr.write(`${asked} Known: all, ${Object.keys(BENCHES).join(', ')}.\n`)
  return 2
}

/** One after the other, each in a process of its own: what one leaves in memory does not slow the next. */
function runAll(): number {
  const failed: string[] = []
  for (const bench of Object.keys(BENCHES)) {
    if (bench === 'retention' && CORPUS.length === 0) {
      process.stdout.write('\n── retention: left out, since PRECIS_CORPUS names no folder ──\n')
      continue
    }
    const own = bench === 'retention' && args.includes('--quick') ? ['--sessions', '4'] : args
    const start = performance.now()
    process.stdout.write(`\n── ${bench} ──\n`)
    const { status } = spawnSync(process.execPath, [...process.execArgv, SELF, bench, ...own], {
      stdio: 'inherit',
    })
    if (status !== 0) failed.push(bench)
    process.stdout.write(`${bench}: ${Math.round((performance.now() - start) / 1_000)} s\n`)
  }
  if (failed.length > 0) process.stderr.write(`These failed: ${failed.join(', ')}.\n`)
  return failed.length > 0 ? 1 : 0
}

/** Without Chromium there is nothing to measure the page in. */
function isWithoutBrowser(): boolean {
  const { available, notice } = requirement('chromium')
  if (!available) process.stdout.write(`page: left out ${notice}\n`)
  return !available
}
