// The benchmarks by name: `npm run bench -- core`, or all of them. Each lives in a folder of its name.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { CORPUS } from '../test/require.ts'

interface Bench {
  /** Takes the arguments behind its name and gives the exit code. */
  main(args: readonly string[]): Promise<number>
}

const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  core: () => import('./core/core.ts'),
  edl: () => import('./edl/edl.ts'),
  agent: () => import('./agent/agent.ts'),
  extract: () => import('./extract/extract.ts'),
  stores: () => import('./stores/stores.ts'),
  tui: () => import('./tui/tui.ts'),
  page: () => import('./page/page.ts'),
  cli: () => import('./cli/cli.ts'),
  sessions: () => import('./sessions/sessions.ts'),
  library: () => import('./library/library.ts'),
  retention: () => import('./retention/retention.ts'),
  recall: () => import('./recall/recall.ts'),
  chains: () => import('./chains/chains.ts'),
}

const [name = '', ...args] = process.argv.slice(2)
const SELF = fileURLToPath(import.meta.url)
process.exitCode = await run()

async function run(): Promise<number> {
  if (name === 'all') return runAll()
  const load = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined
  if (load) return (await load()).main(args)
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
