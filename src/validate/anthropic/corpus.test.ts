// Real traffic that was accepted, rebuilt from the session files of an agent, breaks no rule.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { exchangesOf } from '../../../test/corpus/claude-code.ts'
import { CORPUS, requirement } from '../../../test/require.ts'
import { PROFILES } from '../profiles.ts'
import { validate } from '../validate.ts'

const { available, notice } = requirement('corpus')
const REQUESTS_OF_A_SESSION = 40

describe.skipIf(!available)(`sessions of real agents ${notice}`, () => {
  it('break no rule', () => {
    const folder = join(CORPUS, 'claude-code')
    const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
    expect(names).not.toEqual([])
    for (const name of names) {
      const exchanges = exchangesOf(readFileSync(join(folder, name), 'utf8'))
      expect(exchanges.length, name).toBeGreaterThan(2)
      const step = Math.ceil(exchanges.length / REQUESTS_OF_A_SESSION)
      for (const [index, { request }] of exchanges.entries()) {
        if (index % step !== 0 && index !== exchanges.length - 1) continue
        expect(validate(PROFILES['anthropic-legacy'], request), name).toEqual([])
        // The same conversation throughout: no thinking can have lost what it is bound to.
        const earlier = exchanges.slice(0, index)
        expect(validate(PROFILES.anthropic, request, { earlier }), name).toEqual([])
      }
    }
  })
})
