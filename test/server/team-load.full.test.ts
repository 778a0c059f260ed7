// A team under a small load, with kills and a restart of the database; the long tier has the load it is to bear.
import { describe } from 'vitest'
import { requirement } from '../require.ts'
import { teamLoadSuite } from './team-load-suite.ts'

const { available, notice } = requirement('postgres')

describe.skipIf(!available)(notice, () => {
  teamLoadSuite({
    writers: 5,
    followers: 20,
    minutes: 0.4,
    killEveryMs: 4_000,
    restarts: 1,
    pauseMs: 200,
    isMeasured: false,
  })
})
