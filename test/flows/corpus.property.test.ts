// Recorded sessions of real agents, compacted at many places, are accepted by every provider's rules.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { anthropic } from '../../src/formats/anthropic.ts'
import { exchangesOf } from '../corpus/claude-code.ts'
import { TestLog } from '../generate/test-log.ts'
import { CORPUS, requirement } from '../require.ts'
import { checkCuts } from './request-cases.ts'

const { available, notice } = requirement('corpus')
const SEAMS = 64

describe.skipIf(!available)(`sessions of real agents ${notice}`, () => {
  it('can be compacted at any of 64 seams and sent to every provider', () => {
    const folder = join(CORPUS, 'claude-code')
    let cases = 0
    for (const name of readdirSync(folder).filter((file) => file.endsWith('.jsonl'))) {
      const exchange = exchangesOf(readFileSync(join(folder, name), 'utf8')).at(-1)
      const { drafts } = anthropic.read(JSON.stringify(exchange?.request))
      const log = new TestLog()
      log.append(drafts, 'leave')
      cases += checkCuts(log, name, SEAMS)
    }
    expect(cases).toBeGreaterThan(100)
  })
})
