// The tests of each tier (PRECIS_TIER): `*.full.test.ts` is not in `npm test`, `*.long.test.ts` only in
// the long one. vitest by itself runs all but those.
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { compileCacheFolder } from './bin/own-folder.js'

const tier = process.env.PRECIS_TIER ?? ''
const isLong = tier === 'long'

// Workers, and the processes and threads that tests start, inherit it: sources and packages are
// compiled once, not by each of them. The folder is the one that bin/precis.js takes, too.
process.env.NODE_COMPILE_CACHE ??= compileCacheFolder() ?? ''

/** Take longest, or wait most: they begin first, so that at the end no core waits for one of them. */
const FIRST: readonly string[] = [
  'test/kill/kill-postgres.test.ts',
  'src/core/view/thread.property.test.ts',
  'test/kill/kill.test.ts',
  'test/agent/faults.full.test.ts',
  'test/agent/soak.full.test.ts',
  'test/agent/jobs.test.ts',
  'src/stores/sqlite/sqlite.test.ts',
  'src/stores/postgres/postgres.test.ts',
  'test/flows/corpus.property.test.ts',
  'test/summaries/faults.full.test.ts',
  'test/server/team.test.ts',
  'test/server/serve.full.test.ts',
  'bench/benchmarks.full.test.ts',
  'bench/retention/retention.full.test.ts',
  'test/web/',
  'test/summaries/',
]

/** Each has a process of its own: they change what a process has once, or start what outlives a test. */
const APART: readonly string[] = [
  'test/require.test.ts',
  'test/tidy/**/*.test.ts',
  'test/kill/**/*.test.ts',
  'test/processes/**/*.test.ts',
  'test/web/**/*.test.ts',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const placeOf = ({ moduleId, project }: TestSpecification) => {
      const place = FIRST.findIndex((part) => moduleId.includes(`/${part}`))
      if (place >= 0) return place
      // Short ones, side by side, so that a worker goes from one to the next.
      return project.name === 'shared' ? FIRST.length + 1 : FIRST.length
    }
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}

const exclude = [
  '**/node_modules/**',
  'dist/**',
  ...(isLong ? [] : ['**/*.long.test.ts']),
  ...(tier === 'fast' ? ['**/*.full.test.ts'] : []),
]

export default defineConfig({
  test: {
    testTimeout: isLong ? 3_600_000 : 120_000,
    // Hooks start and remove database servers, which takes a while on a machine that does much else.
    hookTimeout: 120_000,
    // What is waited for comes at once, or late on such a machine; a second says nothing.
    expect: { poll: { timeout: 20_000 } },
    pool: 'forks',
    // Node runs the sources by itself, as users do: through a rewriting runner, loops take up to ten times as long.
    experimental: { viteModuleRunner: false },
    // One more than there are cores: many files wait for processes and servers.
    maxWorkers: availableParallelism() + 1,
    // A forgotten `.only` would silence the other tests of its file.
    allowOnly: false,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        // Most of the time of a small file goes into what it loads: those of a worker share it.
        test: {
          name: 'shared',
          include: ['**/*.test.ts'],
          exclude: [...exclude, ...APART],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'apart', include: [...APART], exclude } },
    ],
  },
})
