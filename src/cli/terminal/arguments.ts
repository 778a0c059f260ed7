// Arguments of commands: numbers within limits, and options that may be repeated.
import { PrecisError } from '../../core/errors.ts'

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1_000, M: 1_000_000 }

/** `50000`, `50k` or `0.5M`; NaN for anything else, and where it is not whole. */
export function readCount(text: string): number {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)([kM]?)$/.exec(text.replace(/K$/, 'k')) ?? []
  const number = digits === '' ? Number.NaN : Number(digits) * (UNITS[unit] ?? Number.NaN)
  const rounded = Math.round(number)
  return Math.abs(number - rounded) < 1e-6 && (unit !== '' || !digits.includes('.'))
    ? rounded
    : Number.NaN
}

export function wholeNumber(text: string, where: string, lowest: number, highest: number): number {
  const number = readCount(text)
  if (number >= lowest && number <= highest) return number
  throw new PrecisError('usage', `${JSON.stringify(text)} is not a whole number from ${lowest}`, {
    where,
    hint: `Give a number from ${lowest} to ${highest}.`,
  })
}

/** Texts that may be given more than once; an empty one is a slip of the shell. */
export function collectTexts(option: string) {
  return (value: string, given: readonly string[] = []): readonly string[] => {
    if (value.trim() !== '') return collect(value, given)
    throw new PrecisError('usage', 'the text is empty', {
      where: option,
      hint: `Give it some words, as in ${option} "Never touch the migrations.", or leave it out.`,
    })
  }
}

/** Options that may be given more than once. */
export function collect(value: string, given: readonly string[] = []): readonly string[] {
  return [...given, value]
}
