// Random scripts never damage a file: each does exactly what a second, simple implementation does.
import { describe, expect, it } from 'vitest'
import { checkScripts } from '../../test/edl/check-scripts.ts'

const SCRIPTS = 20_000
const seed = Number(process.env.PRECIS_SEED ?? Date.now() % 1_000_000)

describe(`random scripts from seed ${seed}`, () => {
  it(`${SCRIPTS}: a failed file is byte-identical, every other one is what the model says [EDL-10]`, async () => {
    const { refused, failed, changed } = await checkScripts(seed, SCRIPTS)
    // Each kind of end has to be met often, or nothing was shown.
    expect(refused).toBeGreaterThan(SCRIPTS / 50)
    expect(failed).toBeGreaterThan(SCRIPTS / 10)
    expect(changed).toBeGreaterThan(SCRIPTS / 10)
  })
})
