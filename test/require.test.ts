// What a machine lacks is skipped, unless PRECIS_REQUIRE names it.
import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'

const SCRIPT = `
const { hasProgram, requirement } = await import(${JSON.stringify(import.meta.resolve('./require.ts'))})
console.log(JSON.stringify([hasProgram('corpus'), requirement('corpus')]))
`

/** In a process of its own: the environment is read when the module is loaded. */
function ask(environment: Record<string, string>): { out: unknown; error: string } {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', SCRIPT], {
    env: { ...process.env, PRECIS_TIER: 'all', PRECIS_CORPUS: '', ...environment },
    encoding: 'utf8',
  })
  return { out: stdout === '' ? undefined : JSON.parse(stdout), error: stderr }
}

describe('requirement', () => {
  it('says what is missing', () => {
    const notice = 'corpus is not on this machine'
    expect(ask({ PRECIS_REQUIRE: '' }).out).toEqual([false, { available: false, notice }])
  })

  it('throws where a missing one is required', () => {
    const { out, error } = ask({ PRECIS_REQUIRE: 'corpus' })
    expect(out).toBeUndefined()
    expect(error).toMatch(/corpus is required by PRECIS_REQUIRE/)
  })

  it('throws on a name that it does not know', () => {
    const { out, error } = ask({ PRECIS_REQUIRE: 'corpsu' })
    expect(out).toBeUndefined()
    expect(error).toMatch(/names corpsu; known are postgres/)
  })

  it('finds what is there', () => {
    const environment = { PRECIS_REQUIRE: 'corpus', PRECIS_CORPUS: import.meta.dirname }
    expect(ask(environment).out).toEqual([true, { available: true, notice: '' }])
  })

  it('leaves out in the fast tier what takes long', () => {
    const notice = 'corpus is for npm run test:all'
    const environment = { PRECIS_TIER: 'fast', PRECIS_REQUIRE: '' }
    const { out } = ask({ ...environment, PRECIS_CORPUS: import.meta.dirname })
    expect(out).toEqual([true, { available: false, notice }])
  })
})
