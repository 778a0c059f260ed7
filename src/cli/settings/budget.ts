// A budget as people write it: a number of tokens, or a share of the input.
import { PrecisError } from '../../core/errors.ts'
import { readCount } from '../terminal/arguments.ts'

export type Budget = { readonly tokens: number } | { readonly percent: number }

export function parseBudget(text: string): Budget {
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1]
  if (percent !== undefined && Number(percent) > 0 && Number(percent) <= 100)
    return { percent: Number(percent) }
  const tokens = readCount(text)
  if (Number.isSafeInteger(tokens) && tokens > 0) return { tokens }
  throw new PrecisError('usage', `--budget: ${JSON.stringify(text)} is not a valid budget`, {
    where: '--budget',
    hint: 'Give a number of tokens, as in --budget 50000, 50k or 0.5M, or a share of the input up to 100%, as in --budget 40%.',
  })
}

export function budgetTokens(budget: Budget, inputTokens: number): number {
  return 'tokens' in budget ? budget.tokens : Math.floor((inputTokens * budget.percent) / 100)
}
