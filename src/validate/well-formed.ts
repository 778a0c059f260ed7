// Half characters in a request, on every wire: no parser of UTF-8 takes a lone surrogate.
import { isWellFormed } from '../core/text/well-formed.ts'
import { rule } from './rule.ts'
import { eachString } from './walk.ts'

/** The rule stands under Anthropic in docs/spec/valid.md; UTF-8 is the same for all. */
export const textsAreWellFormed = rule('VALID-A21', ({ request }, report) => {
  if (isWellFormed(request)) return // nearly always, and found out without spelling places
  eachString(request, (text, place) => {
    if (!text.isWellFormed()) report(place() || 'request', 'half a character: a lone surrogate')
  })
})
