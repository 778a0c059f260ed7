// Two servers on one PostgreSQL, one of them killed every few seconds for minutes.
import { describe } from 'vitest'
import { requirement } from '../require.ts'
import { teamSuite } from './team-suite.ts'

const { available, notice } = requirement('postgres')

describe.skipIf(!available)(notice, () => {
  teamSuite({ writers: 10, followersEach: 5, kills: 40, killEveryMs: 3_000 })
})
