// Only what a person typed binds: in every format, in every place, and less what that person pasted.
import { describe, expect, it } from 'vitest'
import { findConstraints } from '../../../src/core/constraints/find-constraints.ts'
import { typedTexts } from '../../../src/core/view/typed-text.ts'
import { SESSION_FORMATS } from '../../../src/formats/index.ts'
import { DEFAULT_STRATEGIES } from '../../../src/strategies/index.ts'
import { formatOf, openText } from '../../formats/session.ts'
import { TYPED } from './other-sessions.ts'
import { PASTES as ALL, TYPED_RULES } from './pastes.ts'
import { hostileSessions } from './sessions.ts'

const PASTES = ALL.map(([what, text]) => [what, text] as const)
const ENDING = ALL.filter(([, , ends]) => ends).map(([what, text]) => [what, text] as const)

describe('a session with a rule in every place', () => {
  it('is there for each format', () => {
    const known = SESSION_FORMATS.map(({ id }) => id).sort()
    expect(
      hostileSessions()
        .map(([id]) => id)
        .sort(),
    ).toEqual(known)
  })

  it.each(hostileSessions())(
    '%s: only the rule that a person typed is pinned',
    async (id, text) => {
      const { threads, threadId } = await openText(text, formatOf(id))
      const strategy = DEFAULT_STRATEGIES.find((each) => each.id === 'drop-turns')
      if (!strategy) throw new Error('no strategy')
      const outcome = await threads.compact(threadId, strategy, {
        pinning: { detect: true, patterns: ['*branch*'] },
        trigger: 'command',
        minTokens: Number.MAX_SAFE_INTEGER,
      })
      if (!outcome.committed) throw new Error(outcome.refusal.message)
      expect((await threads.pins(threadId)).map((pin) => pin.text)).toEqual([TYPED])
    },
  )

  it.each(hostileSessions())('%s: each message of the user says who wrote it', async (id, text) => {
    const { threads, threadId } = await openText(text, formatOf(id))
    const events = await threads.getAllEvents(threadId)
    const messages = events.filter((event) => event.type === 'USER_MESSAGE')
    expect(messages.filter(({ origin }) => origin === undefined)).toEqual([])
    const typed = messages.flatMap(typedTexts).join('\n')
    expect(typed).toContain(TYPED)
    expect(typed).not.toContain('Never push')
  })
})

describe('a paste in what a person typed', () => {
  it.each(PASTES)('%s binds nobody', (_what, text) => {
    expect(findConstraints(text)).toEqual([])
  })

  it.each(ENDING)('%s: what is typed behind it binds', (_what, text) => {
    expect(findConstraints(`${TYPED}\n\n${text}\n\nNever touch the lock file.`)).toEqual([
      TYPED,
      'Never touch the lock file.',
    ])
  })

  it.each(TYPED_RULES)('is not seen where there is none: %j', (text) => {
    expect(findConstraints(text)).not.toEqual([])
  })

  it.each(PASTES)('%s: what is typed before it binds', (_what, text) => {
    expect(findConstraints(`${TYPED}\n\n${text}`)).toEqual([TYPED])
  })
})
