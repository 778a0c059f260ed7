// What mutation testing covers: for each folder its sources, the tests that may kill, and the goal.
import { globSync, readFileSync } from 'node:fs'

export interface Folder {
  readonly sources: readonly string[]
  readonly tests: readonly string[]
  /** Percent of the sampled mutants that the tests must kill. */
  readonly goalPercent: number
  /** Tests run in a thread, which begins sooner than a process. Only for tests that ask nothing of the process. */
  readonly inThread?: boolean
  /** As `npm test` runs them: stores in memory, fewer random cases. Otherwise as vitest by itself does. */
  readonly tier?: 'fast'
  readonly apart?: Apart
}

/** Sources that run in a thread of their own, where coverage is not seen. */
interface Apart {
  readonly sources: readonly string[]
  /** The tests that start the thread: they count as covering all of it. */
  readonly tests: readonly string[]
  /** Starts the thread; no import leads from it to the thread's script. */
  readonly starter: string
  /** As the starter would import it. */
  readonly script: string
}

/** What the command hands to the runner and to vitest, as a file. */
export interface RunPlan {
  /** Stryker works in a copy of it. */
  readonly root: string
  readonly tests: readonly string[]
  readonly apart?: Apart | undefined
  /** The mutants to run, as `placeOf` names them. The others in their ranges are skipped. */
  readonly places: readonly string[]
}

/** Its value is the path of the file with the plan. */
export const PLAN_VARIABLE = 'PRECIS_MUTATION_PLAN'

export const FOLDERS: Readonly<Record<string, Folder>> = {
  core: {
    sources: ['src/core/**/*.ts'],
    tests: [
      'src/core/**/!(thread.property).test.ts',
      'src/compactor/@(binding|compact|compactor|conversations|refusals).test.ts',
      'test/ledger/*.test.ts',
      'test/golden/*.test.ts',
    ],
    goalPercent: 85,
    inThread: true,
  },
  agent: {
    sources: ['src/agent/**/*.ts'],
    tests: [
      'src/agent/**/*.test.ts',
      'test/agent/!(soak|faults|range-random).test.ts',
      'test/summaries/@(fresh|fresh-twice|log).test.ts',
      'test/server/@(preview|send|session).test.ts',
      'test/tui/compactions.test.ts',
    ],
    goalPercent: 75,
    tier: 'fast',
  },
  strategies: {
    sources: ['src/strategies/**/*.ts'],
    tests: [
      'src/strategies/**/*.test.ts',
      'src/compactor/@(binding|compact|conversations).test.ts',
      'test/fold/fold.test.ts',
      'test/summaries/@(forms|hostile|keep-recent|log|next-prompt|whole).test.ts',
      'test/golden/@(asking|fold|strategies).test.ts',
    ],
    goalPercent: 75,
    inThread: true,
    tier: 'fast',
  },
  stores: {
    sources: ['src/stores/**/*.ts'],
    tests: [
      'src/stores/**/!(full-disk|processes).test.ts',
      'test/cli/store.test.ts',
      'test/hostile/altered-log.test.ts',
    ],
    goalPercent: 75,
    apart: {
      sources: ['src/stores/sqlite/*.ts'],
      tests: ['src/stores/sqlite/!(full-disk|processes).test.ts'],
      starter: 'src/stores/sqlite/worker-link.ts',
      script: './worker.ts',
    },
  },
  tools: {
    sources: ['src/tools/**/*.ts'],
    tests: ['src/tools/**/*.test.ts', 'test/golden/tools.test.ts'],
    goalPercent: 85,
    apart: {
      sources: ['src/tools/search/*.ts'],
      tests: ['src/tools/search.test.ts'],
      starter: 'src/tools/search/search.ts',
      script: './worker.ts',
    },
  },
  threads: {
    sources: ['src/threads/**/*.ts'],
    tests: [
      'src/threads/**/*.test.ts',
      'src/compose.test.ts',
      'src/compactor/stored.test.ts',
      'test/golden/threads.test.ts',
    ],
    goalPercent: 75,
    tier: 'fast',
  },
  server: {
    sources: ['src/server/http/guard.ts', 'src/server/accounts/*.ts'],
    tests: [
      'src/server/http/guard.test.ts',
      'src/server/accounts/*.test.ts',
      'test/server/@(access|owners|session|refused).test.ts',
    ],
    goalPercent: 85,
  },
  redact: {
    sources: ['src/redact/**/*.ts'],
    tests: ['src/redact/**/*.test.ts', 'test/flows/border.test.ts'],
    goalPercent: 85,
    inThread: true,
  },
}

/** Suites that tests call are tests, too. */
const TEST_CODE = /\.test\.ts$|(?:^|\/)contract(?:\/|\.ts$)|-suite\.ts$/

export function sourceFiles(patterns: readonly string[]): string[] {
  return filesOf(patterns).filter((path) => !TEST_CODE.test(path))
}

/** Those of the fast tier: the others take minutes, and every mutant would wait for them. */
export function testFiles(patterns: readonly string[]): string[] {
  return filesOf(patterns).filter((path) => !/\.(?:full|long)\.test\.ts$/.test(path))
}

export function readPlan(): RunPlan {
  const path = process.env[PLAN_VARIABLE]
  if (path === undefined) throw new Error(`${PLAN_VARIABLE} names no plan: use npm run mutation`)
  return JSON.parse(readFileSync(path, 'utf8')) as RunPlan
}

function filesOf(patterns: readonly string[]): string[] {
  return [...new Set(patterns.flatMap((pattern) => globSync(pattern)))].sort()
}
