// Processes that work on PostgreSQL are killed at random moments, and the server crashes now and then.
import { describe } from 'vitest'
import { requirement } from '../require.ts'
import { jobsScenario } from './jobs-scenario.ts'
import { killSuite } from './kill-suite.ts'
import { postgresKillPlace } from './places.ts'

const { available, notice } = requirement('postgres')

describe.skipIf(!available)(notice, () => {
  killSuite('PostgreSQL', 40, postgresKillPlace, [jobsScenario])
})
