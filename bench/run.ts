// The benchmarks by name: `npm run bench -- core`. Each lives in a folder of its name.

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
  cli: () => import('./cli/cli.ts'),
  library: () => import('./library/library.ts'),
  retention: () => import('./retention/retention.ts'),
}

const [name = '', ...args] = process.argv.slice(2)
process.exitCode = await run()

async function run(): Promise<number> {
  const load = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined
  if (load) return (await load()).main(args)
  const asked = name === '' ? 'No benchmark was named.' : `There is no benchmark ${name}.`
  process.stderr.write(`${asked} Known: ${Object.keys(BENCHES).join(', ')}.\n`)
  return 2
}
