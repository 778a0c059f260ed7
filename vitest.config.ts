// Two tiers of tests: the default run, and the long one (`*.long.test.ts`), chosen by PRECIS_LONG.
import { defineConfig } from 'vitest/config'

const long = process.env.PRECIS_LONG === '1'

export default defineConfig({
  test: {
    include: long ? ['**/*.long.test.ts'] : ['**/*.test.ts'],
    exclude: ['node_modules', 'dist', ...(long ? [] : ['**/*.long.test.ts'])],
    testTimeout: long ? 3_600_000 : 120_000,
    pool: 'forks',
  },
})
