// Arguments of commands: numbers within limits, and options that may be repeated.
import { PrecisError } from '../../core/errors.ts'

export function wholeNumber(text: string, where: string, lowest: number, highest: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (number >= lowest && number <= highest) return number
  throw new PrecisError('usage', `${JSON.stringify(text)} is not a whole number from ${lowest}`, {
    where,
    hint: `Give a number from ${lowest} to ${highest}.`,
  })
}

/** Options that may be given more than once. */
export function collect(value: string, given: readonly string[] = []): readonly string[] {
  return [...given, value]
}
