// A team under the load that it is to bear: 200 writing threads, 1,000 followers, ten minutes.
import { describe } from 'vitest'
import { requirement } from '../require.ts'
import { teamLoadSuite } from './team-load-suite.ts'

const { available, notice } = requirement('postgres')

describe.skipIf(!available)(notice, () => {
  teamLoadSuite({
    writers: 200,
    followers: 1_000,
    minutes: 10,
    killEveryMs: 5_000,
    restarts: 2,
    pauseMs: 20_000,
    isMeasured: true,
  })
})
