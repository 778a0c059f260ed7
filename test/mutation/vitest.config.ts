// How vitest runs under mutation testing: the tests of one folder, the quickest first, no second try.
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { readPlan } from './folders.ts'

const plan = readPlan()

/** The first failure ends a run: what has failed before goes first, then what is quick. */
class QuickestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = (file: TestSpecification) => {
      const last = this.ctx.cache.getTestSpecificationResult(file)
      return last?.failed ? -1 : (last?.duration ?? 0)
    }
    return files.toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}

/** Only tests that import a mutated file are run: this leads from a starter of threads to their script. */
const reachThread: Plugin = {
  name: 'reach-thread',
  transform(code, id) {
    const isStarter = plan.apart !== undefined && id.endsWith(plan.apart.starter)
    return isStarter
      ? `${code}\nexport const neverCalled = () => import('${plan.apart?.script}')\n`
      : null
  },
}

export default defineConfig({
  root: process.cwd(),
  plugins: [reachThread],
  test: {
    include: [...plan.tests],
    // As in the check: most of the time of a file goes into what it loads.
    isolate: false,
    // As in the check: the first run has no fault in it. A mutant that hangs is ended by Stryker.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    setupFiles: ['test/mutation/activate.ts'],
    sequence: { sequencer: QuickestFirst },
  },
})
