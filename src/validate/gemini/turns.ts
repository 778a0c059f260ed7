// The order of turns in Gemini: who opens, who may call, who answers, who closes.
import { type Rule, rule } from '../rule.ts'
import { contentsOf, isCall, isResponse } from './contents.ts'

/** Read strictly: a request without contents has no first one, and a missing role is not `user`. */
const userOpens = rule('VALID-G1', ({ request }, report) => {
  const [first] = contentsOf(request)
  if (!first) report('contents', 'there are no contents')
  else if (first.role !== 'user') report(first.where, 'the first content is not the user’s')
})

const callFollowsUser = rule('VALID-G2', ({ request }, report) => {
  const contents = contentsOf(request)
  for (const [index, { where, parts }] of contents.entries()) {
    if (!parts.some(isCall)) continue
    const before = contents[index - 1]
    if (!before || before.role === 'model') {
      report(where, 'a function call comes right after the user or a function response')
    }
  }
})

/** Counts alone decide: names and ids of responses are not compared. */
const everyCallIsAnswered = rule('VALID-G3', ({ request }, report) => {
  const contents = contentsOf(request)
  let before = contents[0]
  let called = 0
  for (const content of contents) {
    const answered = content.parts.filter(isResponse).length
    if (answered !== called) {
      report(content.where, `${answered} function responses to ${called} function calls`)
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
  callFollowsUser,
  everyCallIsAnswered,
  modelDoesNotClose,
]
