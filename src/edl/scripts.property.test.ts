// Random scripts never damage a file: each does exactly what a second, simple implementation does.
import { describe, expect, it } from 'vitest'
import { checkScripts } from '../../test/edl/check-scripts.ts'
import { SEED, scaled } from '../../test/scale.ts'

const SCRIPTS = scaled(20_000)

describe(`random scripts from seed ${SEED}`, () => {
  it(`${SCRIPTS}: a failed file is byte-identical, every other one is what the model says [EDL-10]`, async () => {
    const { refused, failed, changed } = await checkScripts(SEED, SCRIPTS)
    // Each kind of end has to be met often, or nothing was shown.
    expect(refused).toBeGreaterThan(SCRIPTS / 50)
    expect(failed).toBeGreaterThan(SCRIPTS / 10)
    expect(changed).toBeGreaterThan(SCRIPTS / 10)
  })
})
