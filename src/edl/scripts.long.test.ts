// The same as scripts.property.test.ts, a hundred times as long; runs with PRECIS_LONG=1.
import { describe, expect, it } from 'vitest'
import { checkScripts } from '../../test/edl/check-scripts.ts'

const SCRIPTS = 2_000_000
const seed = Number(process.env.PRECIS_SEED ?? Date.now() % 1_000_000)

describe(`random scripts from seed ${seed}`, () => {
  it(`${SCRIPTS}: none damages a file [EDL-10]`, async () => {
    const { changed } = await checkScripts(seed, SCRIPTS)
    expect(changed).toBeGreaterThan(SCRIPTS / 10)
  })
})
