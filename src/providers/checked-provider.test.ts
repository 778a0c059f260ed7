// Which broken rule is told, under which code, and what is said to help.
import { expect, it } from 'vitest'
import type { Profile } from '../validate/rule.ts'
import { PROFILES } from '../validate/validate.ts'
import { requireValid } from './checked-provider.ts'

const said = (content: unknown) => ({ model: 'm', messages: [{ role: 'user', content }] })
const tool = (_: unknown, index: number) => ({
  type: 'function',
  function: { name: `t${index}`, parameters: { type: 'object' } },
})
const tools = Array.from({ length: 129 }, tool)
const image = { type: 'image_url', image_url: { url: 'https://example.org/a.png' } }
const CHAT: Profile = { ...PROFILES['openai-chat'], strict: true }
const ANTHROPIC: Profile = { ...PROFILES.anthropic, requestBytes: 1_000 }
const SMALL: Profile = { ...ANTHROPIC, windowTokens: 10 }

const CASES: readonly (readonly [string, Profile, unknown, string, string, string])[] = [
  ['a long text', CHAT, said('x'.repeat(1_048_577)), 'VALID-C10', 'overflow', 'Compact'],
  ['many tools', CHAT, { ...said('x'), tools }, 'VALID-C10', 'payload-too-large', 'fewer tools'],
  [
    'many images',
    CHAT,
    said(Array.from({ length: 501 }, () => image)),
    'VALID-C10',
    'payload-too-large',
    'Remove images',
  ],
  ['a large body', ANTHROPIC, said('x'.repeat(1_001)), 'VALID-A18', 'payload-too-large', 'compact'],
  [
    'one beyond the window, too',
    SMALL,
    said('x'.repeat(1_001)),
    'VALID-A19',
    'overflow',
    'Compact',
  ],
  ['a bug beside it', ANTHROPIC, said(' '.repeat(1_001)), 'VALID-A9', 'invalid-request', 'a bug'],
]

it.each(CASES)('%s is told with what helps', (_, profile, request, rule, code, hint) => {
  expect(() => requireValid(profile, request, { requestTokens: 20 })).toThrow(
    expect.objectContaining({
      code,
      hint: expect.stringContaining(hint),
      details: expect.objectContaining({ rule }),
    }),
  )
})
