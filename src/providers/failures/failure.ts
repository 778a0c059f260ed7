// Normalises errors of any SDK or fetch: status, code, message, headers.

/** The parts of a failed request. Not safe to show: they may quote keys. */
export interface Failure {
  readonly status?: number
  /** Machine-readable codes: `rate_limit_error`, `context_length_exceeded`, `ECONNREFUSED`. */
  readonly codes: readonly string[]
  readonly message: string
  header(name: string): string | undefined
}

const DEEPEST_CAUSE = 8

/** The failure and all its causes, outermost first. */
export function findCauses(thrown: unknown): readonly unknown[] {
  const chain: unknown[] = []
  let next = thrown
  while (next !== undefined && next !== null && chain.length < DEEPEST_CAUSE) {
    if (chain.includes(next)) break
    chain.push(next)
    next = findCause(next)
  }
  return chain
}

export function readFailure(thrown: unknown): Failure {
  const chain = findCauses(thrown)
  const records = chain.filter(isRecord)
  const bodies = records.flatMap((each) => listBodies(each))
  const all = [...records, ...bodies]
  const status = first(records, (each) => numberIn(each, 'status', 'status_code', 'statusCode'))
  return {
    ...(status !== undefined && { status }),
    codes: [...new Set(all.flatMap(codesIn))],
    message: readMessage(chain, bodies),
    header: (name) => first(records, (each) => readHeader(each.headers, name)),
  }
}

type Fields = Readonly<Record<string, unknown>>

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}

/** After trying several addresses Node reports several causes; the first is enough. */
function findCause(value: unknown): unknown {
  if (!isRecord(value)) return undefined
  if (Array.isArray(value.errors) && value.errors.length > 0) return value.errors[0]
  return value.cause
}

/** The body of the answer: `{error: {type, code, message}}`, `{error: 'text'}`, `[{error}]`. */
function listBodies(error: Fields, depth = 3): Fields[] {
  const body: unknown = Array.isArray(error.error) ? error.error[0] : error.error
  if (!isRecord(body) || depth === 0) return []
  return [body, ...listBodies(body, depth - 1)]
}

function codesIn(fields: Fields): string[] {
  const details = isRecord(fields.details) ? [fields.details.error_code] : []
  return [fields.type, fields.code, fields.status, fields.errorCode, ...details].filter(
    (code): code is string => typeof code === 'string' && code !== '' && code !== 'error',
  )
}

/** The innermost message: that of the body, or of the deepest cause with one. */
function readMessage(chain: readonly unknown[], bodies: readonly Fields[]): string {
  const said = bodies.flatMap(wordsIn)
  const last = said.at(-1)
  if (last !== undefined) return last
  const words = chain.flatMap((each) =>
    isRecord(each) ? wordsIn(each) : [String(each)].filter((text) => text !== ''),
  )
  return words.at(-1) ?? 'no reason was given'
}

function wordsIn(fields: Fields): string[] {
  return [fields.message, fields.error, fields.detail].filter(
    (text): text is string => typeof text === 'string' && text !== '',
  )
}

function numberIn(fields: Fields, ...names: readonly string[]): number | undefined {
  return first(names, (name) => (typeof fields[name] === 'number' ? fields[name] : undefined))
}

function readHeader(headers: unknown, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  if (!isRecord(headers)) return undefined
  const value = headers[name]
  return typeof value === 'string' ? value : undefined
}

function first<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}
