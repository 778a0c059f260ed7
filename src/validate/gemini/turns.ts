// Rules for the order of turns in Gemini: who opens, calls, answers and closes
import { type Rule, rule } from '../rule.ts'
import { contentsOf, isCall, isResponse } from './contents.ts'

/** `function` is the older name of the role that brings what functions returned. */
const ROLES: ReadonlySet<string | undefined> = new Set(['user', 'model', 'function'])

/**
 * Read strictly: a request without contents has no first one, a missing role is not `user`, and a
 * role that the API does not know is nobody's.
 */
const userOpens = rule('VALID-G1', ({ request }, report) => {
  const [first, ...others] = contentsOf(request)
  if (!first) report('contents', 'there are no contents')
  else if (first.role !== 'user') report(first.where, 'the first content is not the user’s')
  for (const { where, role } of others) {
    if (!ROLES.has(role)) report(where, 'the role is neither user nor model')
  }
})

/** Older models refuse what is in a row; later ones merge it. */
const rolesAlternate = rule('VALID-A3', ({ request, profile }, report) => {
  if (!profile.strict) return
  let before: string | undefined
  for (const { where, role } of contentsOf(request)) {
    if (role !== undefined && role === before) report(where, `two contents of the ${role} in a row`)
    before = role
  }
})

/** The user does not call. */
const callFollowsUser = rule('VALID-G2', ({ request }, report) => {
  const contents = contentsOf(request)
  for (const [index, { where, role, parts }] of contents.entries()) {
    if (!parts.some(isCall)) continue
    const before = contents[index - 1]
    if (role === 'user' || !before || before.role === 'model') {
      report(where, 'a function call comes right after the user or a function response')
    }
  }
})

/** Counts and the role decide: names and ids of responses are not compared. */
const everyCallIsAnswered = rule('VALID-G3', ({ request }, report) => {
  const contents = contentsOf(request)
  let before = contents[0]
  let called = 0
  for (const content of contents) {
    const answered = content.parts.filter(isResponse).length
    if (answered !== called) {
      report(content.where, `${answered} function responses to ${called} function calls`)
    } else if (answered > 0 && content.role === 'model') {
      report(content.where, 'the model does not answer its own function calls')
    }
    called = content.parts.filter(isCall).length
    before = content
  }
  if (before && called > 0) report(before.where, 'no content answers these function calls')
})

const modelDoesNotClose = rule('VALID-G6', ({ request }, report) => {
  const last = contentsOf(request).at(-1)
  if (last?.role === 'model') report(last.where, 'the request ends on a turn of the model')
})

export const TURN_RULES: readonly Rule[] = [
  userOpens,
  rolesAlternate,
  callFollowsUser,
  everyCallIsAnswered,
  modelDoesNotClose,
]
