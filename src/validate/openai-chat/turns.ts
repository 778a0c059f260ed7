// Whose turn it is on strict backends of Chat Completions: the user opens, and roles alternate.
import type { Json } from '../../core/text/json.ts'
import { type Rule, rule } from '../rule.ts'
import { type ChatMessage, messagesOf } from './messages.ts'

/** The original takes any opening; the templates of strict backends begin with the user. */
const userSpeaksFirst = rule('VALID-A2', ({ request, profile }, report) => {
  if (!profile.strict) return
  const [first] = spokenOf(request)
  if (first?.role === 'assistant') report(first.where, 'the user speaks first on this backend')
})

/**
 * Results stand between two answers as the user does. Whether a user may follow them at once is
 * VALID-O3, and what a second system message does is VALID-C8.
 */
const rolesAlternate = rule('VALID-A3', ({ request, profile }, report) => {
  if (!profile.strict) return
  let before: string | undefined
  for (const { where, role } of spokenOf(request)) {
    if (role === before && (role === 'user' || role === 'assistant')) {
      report(where, `two messages of the ${role} in a row: roles must alternate here`)
    }
    before = role
  }
})

export const TURN_RULES: readonly Rule[] = [userSpeaksFirst, rolesAlternate]

function spokenOf(request: Json): readonly ChatMessage[] {
  return messagesOf(request).filter(({ role }) => role !== 'system' && role !== 'developer')
}
