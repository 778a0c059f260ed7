// Real traffic that was accepted, rebuilt from the session files of many agents, breaks no rule.
import { describe, expect, it } from 'vitest'
import { anthropicFormat } from '../../src/dev-model/anthropic/anthropic.ts'
import { openaiResponsesFormat } from '../../src/dev-model/openai/responses.ts'
import type { WireFormat } from '../../src/dev-model/wire-format.ts'
import type { Profile } from '../../src/validate/rule.ts'
import { PROFILES, validate } from '../../src/validate/validate.ts'
import { readFields } from '../../src/validate/walk.ts'
import { FOLDERS, type Recorded, recordedIn } from '../corpus/recorded.ts'
import { requirement } from '../require.ts'

const { available, notice } = requirement('corpus')
const REQUESTS_OF_A_SESSION = 40

describe.skipIf(!available)(`sessions of real agents ${notice}`, () => {
  it.each(FOLDERS)('%s: every request is accepted by the rules of its own provider', (folder) => {
    const sessions = recordedIn(folder)
    expect(sessions).not.toEqual([])
    for (const session of sessions) {
      const { name, profile, exchanges } = session
      for (const index of sampled(session)) {
        const exchange = exchanges[index]
        const place = `${name}, request ${index} of ${exchanges.length}`
        expect(validate(profile, exchange?.request), place).toEqual([])
      }
    }
  })

  it('what was sent to Anthropic and OpenAI holds nothing that the strict stand-in does not know', () => {
    const shapes: Partial<Record<Profile['wire'], WireFormat>> = {
      anthropic: anthropicFormat(),
      'openai-responses': openaiResponsesFormat(),
    }
    for (const { name, profile, exchanges } of FOLDERS.flatMap(recordedIn)) {
      const request = { model: 'dev', max_tokens: 1, ...readFields(exchanges.at(-1)?.request) }
      const { max_tokens, ...withoutLimit } = request
      const body = profile.wire === 'anthropic' ? request : withoutLimit
      expect(shapes[profile.wire]?.shape(body, false), name).toBeUndefined()
    }
  })

  it('claude-code: thinking is behind all that it is bound to', () => {
    for (const { name, exchanges, ...session } of recordedIn('claude-code')) {
      expect(exchanges.length, name).toBeGreaterThan(2)
      for (const index of sampled({ name, exchanges, ...session })) {
        const earlier = exchanges.slice(0, index)
        const found = validate(PROFILES.anthropic, exchanges[index]?.request, { earlier })
        expect(found, name).toEqual([])
      }
    }
  })
})

/** The last request, and others in even steps. */
function sampled({ exchanges }: Recorded): readonly number[] {
  const step = Math.ceil(exchanges.length / REQUESTS_OF_A_SESSION)
  return [...exchanges.keys()].filter((at) => at % step === 0 || at === exchanges.length - 1)
}
