// Validates options of the library by hand: an unknown or invalid one is an error that names it.
import { PrecisError } from './errors.ts'
import { nearestWord } from './text/nearest-word.ts'

/** What is wrong with a value, as `must …`; undefined if it is valid. */
type Check = (value: unknown) => string | undefined

export type Checks<T> = { readonly [K in keyof Required<T>]: Check }

/** Throws for anything but an object, for unknown names and invalid values. */
export function checkOptions(
  of: string,
  given: object,
  checks: Readonly<Record<string, Check>>,
): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw wrong(of, 'options', 'must be an object', Object.keys(checks))
  for (const name of Object.keys(given))
    if (!Object.hasOwn(checks, name)) throw unknownOption(of, name, Object.keys(checks))
  for (const [name, check] of Object.entries(checks)) {
    const problem = check((given as Record<string, unknown>)[name])
    if (problem !== undefined) throw wrong(of, name, problem, Object.keys(checks))
  }
}

/** Like `checkOptions` if the values are checked elsewhere. */
export function checkNames(of: string, given: object, names: readonly string[]): void {
  checkOptions(of, given, Object.fromEntries(names.map((name) => [name, anything])))
}

function unknownOption(of: string, name: string, known: readonly string[]): PrecisError {
  const near = nearestWord(name, known)
  const meant = near === undefined ? '' : `Did you mean \`${near}\`? `
  return new PrecisError('invalid-input', `${of}: unknown option \`${name}\`.`, {
    where: name,
    hint: `${meant}Options: ${known.join(', ')}.`,
  })
}

function wrong(of: string, name: string, problem: string, known: readonly string[]): PrecisError {
  return new PrecisError('invalid-input', `${of}: \`${name}\` ${problem}.`, {
    where: name,
    hint: `Options: ${known.join(', ')}.`,
  })
}

export const positive: Check = (value) =>
  typeof value === 'number' && Number.isFinite(value) && value > 0
    ? undefined
    : `must be a positive number, not ${shown(value)}`

/** A share of the window: more than 0, at most 1. */
export const share: Check = (value) =>
  typeof value === 'number' && value > 0 && value <= 1
    ? undefined
    : `must be a share of the window between 0 and 1, not ${shown(value)}`

export const text: Check = (value) =>
  typeof value === 'string' ? undefined : `must be a text, not ${shown(value)}`

/** An object of any kind. */
export const object: Check = (value) =>
  typeof value === 'object' && value !== null ? undefined : `must be an object, not ${shown(value)}`

/** A non-negative integer. */
export const count: Check = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 0
    ? undefined
    : `must be a whole number of at least 0, not ${shown(value)}`

export const list: Check = (value) =>
  Array.isArray(value) ? undefined : `must be an array, not ${shown(value)}`

export const fullList: Check = (value) =>
  Array.isArray(value) && value.length === 0 ? 'must not be empty' : list(value)

/** A text must not be empty. */
export const textOrObject: Check = (value) =>
  value === '' || (text(value) !== undefined && object(value) !== undefined)
    ? `must be a text or an object, not ${shown(value)}`
    : undefined

export const flag: Check = (value) =>
  typeof value === 'boolean' ? undefined : `must be true or false, not ${shown(value)}`

/** A list of valid elements; an error names the first invalid one by index. */
export function listOf(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return list(value)
    for (const [index, each] of value.entries()) {
      const problem = check(each)
      if (problem !== undefined) return `is wrong at [${index}]: it ${problem}`
    }
    return undefined
  }
}

/** One of these words. */
export function oneOf(...words: readonly string[]): Check {
  return (value) =>
    typeof value === 'string' && words.includes(value)
      ? undefined
      : `must be one of ${words.join(', ')}, not ${shown(value)}`
}

export const strategyObject: Check = (value) => {
  const { id, propose } = Object(value)
  return typeof id === 'string' && typeof propose === 'function' ? undefined : 'must be a strategy'
}

export const strategy: Check = (value) => {
  if (typeof value === 'string' || strategyObject(value) === undefined) return undefined
  return 'must be a strategy, or the id of one'
}

/** An object with these methods. */
export function having(...names: readonly string[]): Check {
  return (value) => {
    const missing = names.find((name) => typeof Object(value)[name] !== 'function')
    return missing === undefined ? undefined : `must have a method \`${missing}\``
  }
}

export const callback: Check = (value) =>
  typeof value === 'function' ? undefined : `must be a function, not ${shown(value)}`

/** A port, or a function that answers a request. */
export const model: Check = (value) =>
  typeof value === 'function' || typeof Object(value).ask === 'function'
    ? undefined
    : 'must have a method `ask`, or be a function that answers a request'

/** Something that can end a run, such as an AbortSignal. */
export const signal: Check = (value) =>
  typeof Object(value).aborted === 'boolean' &&
  having('addEventListener', 'removeEventListener')(value) === undefined
    ? undefined
    : `must be an AbortSignal, not ${shown(value)}`

export const anything: Check = () => undefined

export function optional(check: Check): Check {
  return (value) => (value === undefined ? undefined : check(value))
}

function shown(value: unknown): string {
  if (value === undefined) return 'missing'
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40))
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
