// Two servers on one PostgreSQL, one of them killed every few seconds for minutes.
import { describe } from 'vitest'
import { requirement } from '../require.ts'
import { teamSuite } from './team-suite.ts'

const { available, notice } = requirement('postgres')

describe.skipIf(!available)(notice, () => {
  teamSuite({ writers: 6, followersEach: 3, kills: 30, killEveryMs: 3_000 })
})
