// Recorded sessions of real agents, compacted at many places, are accepted by every provider's rules.
import { describe, expect, it } from 'vitest'
import { anthropic } from '../../src/formats/anthropic.ts'
import { recordedIn } from '../corpus/recorded.ts'
import { TestLog } from '../generate/test-log.ts'
import { requirement } from '../require.ts'
import { checkCuts } from './request-cases.ts'

const { available, notice } = requirement('corpus')
const SEAMS = 64
/** Thousands of large requests: more than the usual limit where other work runs beside it. */
const TIMEOUT_MS = 600_000
/** Those whose files hold Anthropic's shape, or were held through that API. */
const FOLDERS = ['claude-code', 'claude-web-session', 'cline-sdk', 'pi']

describe.skipIf(!available)(`sessions of real agents ${notice}`, () => {
  it.each(FOLDERS)(
    '%s: compacted at any of 64 seams, for every provider',
    (folder) => {
      const sessions = recordedIn(folder).filter(({ profile }) => profile.wire === 'anthropic')
      let cases = 0
      for (const { name, exchanges } of sessions) {
        const { drafts } = anthropic.read(JSON.stringify(exchanges.at(-1)?.request))
        const log = new TestLog()
        log.append(drafts, 'leave')
        cases += checkCuts(log, name, SEAMS)
      }
      expect(cases).toBeGreaterThan(100)
    },
    TIMEOUT_MS,
  )
})
