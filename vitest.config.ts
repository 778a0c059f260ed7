// Two tiers of tests: the default run, and the long one (`*.long.test.ts`), chosen by PRECIS_LONG.
import { defineConfig } from 'vitest/config'

const long = process.env.PRECIS_LONG === '1'
const longTests = '**/*.long.test.ts'

export default defineConfig({
  test: {
    include: [long ? longTests : '**/*.test.ts'],
    exclude: ['**/node_modules/**', 'dist/**', ...(long ? [] : [longTests])],
    testTimeout: long ? 3_600_000 : 120_000,
    pool: 'forks',
    // Many files wait for processes and servers: a core is not kept free for nothing.
    maxWorkers: '100%',
    // A forgotten `.only` would silence the other tests of its file.
    allowOnly: false,
  },
})
