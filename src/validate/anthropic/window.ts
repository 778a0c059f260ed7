// The window rule: the request and the maximum answer fit together
import { type Rule, rule } from '../rule.ts'
import { fieldsOf } from '../walk.ts'

/** Newer models stop early instead, and refuse only what leaves no room for an answer at all. */
const windowHoldsBoth = rule('VALID-A19', ({ request, profile, requestTokens }, report) => {
  const { windowTokens, stopsAtWindow = false } = profile
  if (windowTokens === undefined || requestTokens === undefined) return
  const { max_tokens } = fieldsOf(request)
  const answerTokens = typeof max_tokens === 'number' && !stopsAtWindow ? max_tokens : 0
  if (requestTokens + answerTokens <= windowTokens) return
  report(
    'max_tokens',
    `${requestTokens} tokens and ${answerTokens} for the answer exceed the window of ${windowTokens}`,
  )
})

export const WINDOW_RULES: readonly Rule[] = [windowHoldsBoth]
