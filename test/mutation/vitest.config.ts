// How vitest runs under mutation testing: the tests of one folder, the quickest first, no second try.
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

export default defineConfig({
  root: process.cwd(),
  test: {
    include: [...plan.tests],
    isolate: !plan.shareWorker,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    setupFiles: ['test/mutation/activate.ts'],
    sequence: { sequencer: QuickestFirst },
  },
})
