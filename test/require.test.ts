// What a machine lacks is skipped, unless PRECIS_REQUIRE names it.
import { afterEach, describe, expect, it, vi } from 'vitest'

describe('requirement', () => {
  afterEach(() => {
    vi.unstubAllEnvs()
    vi.resetModules()
  })

  /** The module as it is on a machine without a corpus. */
  async function withoutCorpus(required: string) {
    vi.resetModules()
    vi.stubEnv('PRECIS_TIER', 'all')
    vi.stubEnv('PRECIS_CORPUS', '')
    vi.stubEnv('PRECIS_REQUIRE', required)
    return import('./require.ts')
  }

  it('says what is missing', async () => {
    const module = await withoutCorpus('')
    expect(module.hasProgram('corpus')).toBe(false)
    expect(module.requirement('corpus')).toEqual({
      available: false,
      notice: 'corpus is not on this machine',
    })
  })

  it('throws where a missing one is required', async () => {
    const module = await withoutCorpus('corpus')
    expect(() => module.requirement('corpus')).toThrow(/corpus is required by PRECIS_REQUIRE/)
  })

  it('throws on a name that it does not know', async () => {
    const module = await withoutCorpus('corpsu')
    expect(() => module.requirement('corpus')).toThrow(/names corpsu; known are postgres/)
  })

  it('finds what is there', async () => {
    vi.stubEnv('PRECIS_TIER', 'all')
    vi.stubEnv('PRECIS_CORPUS', import.meta.dirname)
    vi.stubEnv('PRECIS_REQUIRE', 'corpus')
    vi.resetModules()
    const module = await import('./require.ts')
    expect(module.requirement('corpus')).toEqual({ available: true, notice: '' })
  })

  it('leaves out in the fast tier what takes long', async () => {
    vi.stubEnv('PRECIS_TIER', 'fast')
    vi.stubEnv('PRECIS_CORPUS', import.meta.dirname)
    vi.stubEnv('PRECIS_REQUIRE', '')
    vi.resetModules()
    const module = await import('./require.ts')
    const notice = 'corpus is for npm run test:all'
    expect(module.requirement('corpus')).toEqual({ available: false, notice })
  })
})
