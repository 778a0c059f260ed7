// What `compose` is given: unknown settings are refused, and what it gives back knows the formats.
import { describe, expect, it } from 'vitest'
import { compose } from './compose.ts'

describe('compose', () => {
  it.each([
    [
      { settings: { models: {}, provders: {} } },
      'provders is not a setting',
      'Did you mean providers?',
    ],
    [{ settings: { models: { default: 7 } } }, 'models.default: expected', 'Set it to a model'],
  ])('refuses settings that are none: %j', (options, message, hint) => {
    expect(() => compose(options as never)).toThrow(
      expect.objectContaining({
        code: 'invalid-settings',
        where: 'compose()',
        message: expect.stringContaining(message),
        hint: expect.stringContaining(hint),
      }),
    )
  })

  it('takes settings that hold nothing', async () => {
    const { formats, pages, close } = compose({ settings: { models: {}, providers: undefined } })
    expect(formats.map(({ id }) => id)).toContain('claude-code')
    expect(pages.map(({ id }) => id)).toEqual(['markdown', 'html'])
    await close()
  })
})
