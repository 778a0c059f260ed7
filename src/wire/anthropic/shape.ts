// Reads values of unknown shape; each error names the place and the expected value.
import { PrecisError } from '../../core/errors.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'

const HINT =
  'The format is that of the Anthropic Messages API: {system?, messages: [{role, content}]}.'

export function wrongShape(path: string, expected: string, got: unknown, hint = HINT): PrecisError {
  const place = path === '' ? 'the document' : path
  return new PrecisError('invalid-input', `${place}: expected ${expected}, got ${readName(got)}`, {
    ...(path !== '' && { where: path }),
    hint,
    details: { path },
  })
}

export function readFields(value: unknown, path: string, expected = 'an object'): Fields {
  if (isFields(value)) return value
  throw wrongShape(path, expected, value)
}

export function requireText(value: unknown, path: string): string {
  if (typeof value === 'string') return value
  throw wrongShape(path, 'a string', value)
}

export function readList(value: unknown, path: string, expected = 'an array'): readonly Json[] {
  if (Array.isArray(value)) return value
  throw wrongShape(path, expected, value)
}

/** The fields except the named ones. */
export function without(fields: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
}

export function isEmpty(fields: Fields): boolean {
  return Object.keys(fields).length === 0
}

function readName(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'string')
    return value.length <= 30 ? `the string ${JSON.stringify(value)}` : 'a string'
  if (typeof value === 'object') return 'an object'
  return `the ${typeof value} ${String(value)}`
}
