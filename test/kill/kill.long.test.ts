// The same as in the tests of every day, hundreds of times; runs with PRECIS_LONG=1.
import { describe } from 'vitest'
import { requirement } from '../require.ts'
import { jobsScenario } from './jobs-scenario.ts'
import { killSuite } from './kill-suite.ts'
import { postgresKillPlace, sqliteKillPlace } from './places.ts'

const { available, notice } = requirement('postgres')

killSuite('SQLite', 500, sqliteKillPlace)

describe.skipIf(!available)(notice, () => {
  killSuite('PostgreSQL', 500, postgresKillPlace, [jobsScenario])
})
