// The error class for people and programs, with one taxonomy.
import type { ERROR_TABLE } from './error-table.ts'

export type ErrorCode = keyof typeof ERROR_TABLE

export interface ErrorOptions {
  readonly hint?: string // what to do about it
  readonly where?: string // a file, a line, a path in a document, an id
  readonly retryable?: boolean
  readonly details?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/** Works across copies of the package, where `instanceof` fails. */
const MARKER = Symbol.for('precis.error')

/** The only error class: a code for programs, a sentence, and what to do next. */
export class PrecisError extends Error {
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly where: string | undefined
  readonly retryable: boolean
  readonly details: Readonly<Record<string, unknown>>
  readonly [MARKER] = true

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'PrecisError'
    this.code = code
    this.hint = options.hint
    this.where = options.where
    this.retryable = options.retryable ?? false
    this.details = options.details ?? {}
  }

  static is(value: unknown): value is PrecisError {
    return typeof value === 'object' && value !== null && MARKER in value
  }
}

/** Wraps anything thrown. A foreign error is a bug and says so. */
export function asPrecisError(thrown: unknown): PrecisError {
  if (PrecisError.is(thrown)) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new PrecisError('internal', message, { cause: thrown })
}

/** What went wrong and what to do, in sentences. */
export function errorWords(error: Error): string {
  const hint = 'hint' in error && typeof error.hint === 'string' ? error.hint : ''
  if (hint === '') return error.message
  return /[.!?…]$/.test(error.message) ? `${error.message} ${hint}` : `${error.message}. ${hint}`
}

export async function importPeer<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (thrown) {
    throw missingPeer(name, thrown) ?? thrown
  }
}

/** Undefined for other failures. */
export function missingPeer(name: string, thrown: unknown): PrecisError | undefined {
  const { code, message } = Object(thrown)
  const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
  if (!isMissing || !String(message).includes(`'${name}'`)) return undefined
  return new PrecisError('wrong-setup', `The package ${name} is not installed.`, {
    where: name,
    hint: `It is an optional peer of precis: npm install ${name}`,
    cause: thrown,
  })
}
