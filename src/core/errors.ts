// Errors that people and programs meet: one taxonomy, and one table from code to exit code and HTTP status.
// Loads what needs an optional package, and says which one is missing

/** What went wrong → the exit code of a command and the status of an HTTP answer. */
export const ERROR_TABLE = {
  usage: { exit: 2, status: 400 },
  'invalid-input': { exit: 1, status: 422 },
  'unknown-format': { exit: 1, status: 422 },
  'invalid-settings': { exit: 2, status: 400 },
  'not-found': { exit: 1, status: 404 },
  'unknown-thread': { exit: 1, status: 404 },
  'unknown-strategy': { exit: 2, status: 404 },
  'unknown-entry': { exit: 1, status: 404 },
  'version-conflict': { exit: 1, status: 409 },
  'id-conflict': { exit: 1, status: 409 },
  'covered-by': { exit: 1, status: 409 },
  'nothing-to-undo': { exit: 1, status: 409 },
  'nothing-to-redo': { exit: 1, status: 409 },
  'gate-refused': { exit: 1, status: 409 },
  irreducible: { exit: 1, status: 422 },
  'step-limit': { exit: 1, status: 422 },
  'no-model': { exit: 2, status: 400 },
  'model-failed': { exit: 1, status: 502 },
  'invalid-request': { exit: 1, status: 500 },
  'auth-failed': { exit: 1, status: 401 },
  forbidden: { exit: 1, status: 403 },
  'no-credit': { exit: 1, status: 402 },
  'rate-limited': { exit: 1, status: 429 },
  overloaded: { exit: 1, status: 503 },
  overflow: { exit: 1, status: 413 },
  'payload-too-large': { exit: 1, status: 413 },
  'model-not-found': { exit: 2, status: 404 },
  unreachable: { exit: 1, status: 502 },
  'tls-failed': { exit: 1, status: 502 },
  timeout: { exit: 1, status: 504 },
  aborted: { exit: 1, status: 499 },
  'store-corrupt': { exit: 1, status: 500 },
  'store-newer': { exit: 1, status: 500 },
  'store-readonly': { exit: 1, status: 500 },
  'store-full': { exit: 1, status: 507 },
  'store-busy': { exit: 1, status: 503 },
  'store-closed': { exit: 1, status: 500 },
  'store-failed': { exit: 1, status: 500 },
  'file-unreadable': { exit: 1, status: 500 },
  'file-unwritable': { exit: 1, status: 500 },
  'wrong-node': { exit: 1, status: 500 },
  'wrong-setup': { exit: 1, status: 500 },
  internal: { exit: 1, status: 500 },
} as const satisfies Record<string, { exit: 1 | 2; status: number }>

export type ErrorCode = keyof typeof ERROR_TABLE

export interface ErrorOptions {
  readonly hint?: string // what to do about it
  readonly where?: string // a file, a line, a path in a document, an id
  readonly retryable?: boolean
  readonly details?: Readonly<Record<string, unknown>>
  readonly cause?: unknown
}

/** Recognised across copies of the package, where `instanceof` fails. */
const MARKER = Symbol.for('precis.error')

/** The one class of error: a code to branch on, a sentence to read, and what to do next. */
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

  get exitCode(): 1 | 2 {
    return ERROR_TABLE[this.code].exit
  }

  get httpStatus(): number {
    return ERROR_TABLE[this.code].status
  }

  static is(value: unknown): value is PrecisError {
    return typeof value === 'object' && value !== null && MARKER in value
  }
}

/** Anything thrown, as one of ours. What is not ours is a bug and says so. */
export function asPrecisError(thrown: unknown): PrecisError {
  if (PrecisError.is(thrown)) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new PrecisError('internal', message, { cause: thrown })
}

export async function importPeer<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (thrown) {
    throw missingPeer(name, thrown) ?? thrown
  }
}

/** Undefined where something else went wrong. */
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
