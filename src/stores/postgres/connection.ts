// Creates connections to the database and sets them up.
import pg from 'pg'
import { shownAddress } from '../../core/text/address.ts'
import { usageError } from '../errors.ts'

export interface DatabaseOptions {
  /** Connections of one process, not counting one for followers. */
  readonly connections: number
  /** How long a call waits for locks before it fails with `store-busy`. */
  readonly busyTimeoutMs: number
  /** How long a call is retried while the server is unreachable. */
  readonly retryForMs: number
  /** A missing store is an error instead of being created. */
  readonly mustExist?: boolean
}

const CONNECT_TIMEOUT_MS = 10_000
/** A connection without any answer for this long is closed. */
const SILENCE_MS = 120_000
/** Bounds how long a stalled process holds its locks. */
const IDLE_IN_TRANSACTION_MS = 60_000

/** By default the driver returns int8 as text; our values all fit into a number. */
const INT8 = 20
const TYPES = {
  getTypeParser: (oid: number, format: 'text' | 'binary' = 'text') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig

export function clientConfig(
  address: PostgresAddress,
  { busyTimeoutMs }: DatabaseOptions,
): pg.ClientConfig {
  const config: pg.ClientConfig = {
    connectionString: address.connectionString,
    fallback_application_name: 'precis',
    types: TYPES,
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: SILENCE_MS,
    lock_timeout: busyTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  }
  try {
    void new pg.Client(config) // reads the parameters and the certificate files they name
    return config
  } catch (thrown) {
    const reason = withoutSecrets(
      thrown instanceof Error ? thrown.message : '',
      address,
      'the details hold the password',
    )
    throw usageError(
      `The address of the store ${address.shown} cannot be used (${reason}).`,
      'Correct its parameters.',
    )
  }
}

/**
 * Plan each statement once instead of for every list length. A plan made while the tables are small must fit
 * large ones too, so it always uses the indexes. Without JIT: such plans look so expensive that the server
 * would compile them at every call, which takes a hundred times as long as the call.
 */
const PLANNING = `set_config('plan_cache_mode', 'force_generic_plan', false),
  set_config('jit', 'off', false),
  set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false),
  set_config('enable_mergejoin', 'off', false)`

/**
 * Lets statements omit the schema name, and makes each commit wait for the disk, whatever the server's
 * settings.
 */
export async function settle(client: pg.ClientBase, { schema }: PostgresAddress): Promise<void> {
  await client.query(
    `SELECT ${PLANNING}, set_config('search_path', $1, false), set_config('synchronous_commit',
     CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
     ELSE current_setting('synchronous_commit') END, false)`,
    [schema],
  )
}

/** The parsed address of a PostgreSQL store. Its shown form contains no secret. */
export interface PostgresAddress {
  readonly connectionString: string
  /** The schema of the tables: one database can hold several stores. */
  readonly schema: string
  /** The address without password and parameters, but with its schema: for errors and logs. */
  readonly shown: string
  /** Texts that no error may contain. */
  readonly secrets: readonly string[]
}

const DEFAULT_SCHEMA = 'precis'
/**
 * Usable in SQL and in channel names without quoting, and short enough that PostgreSQL does not truncate it.
 */
const SCHEMA = /^(?!pg_)[a-z_][a-z0-9_]{0,47}$/

/** Accepts `postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME` and every parameter of the driver. */
export function readAddress(address: string): PostgresAddress {
  // No cause: it would repeat the address with the password.
  if (!URL.canParse(address)) throw unreadable()
  const url = new URL(address)
  if (isCutShort(url)) throw unreadable()
  const schema = url.searchParams.get('schema') ?? DEFAULT_SCHEMA
  if (!SCHEMA.test(schema)) {
    throw usageError(
      'The schema of a PostgreSQL store is a name of small letters, digits and _.',
      'Use up to 48 of them, a letter first, not pg_; or leave it out.',
    )
  }
  url.searchParams.delete('schema')
  const passwords = [
    ...[url.password, url.searchParams.get('password') ?? ''],
    // As written in the address, which may be neither encoded nor decoded.
    ...[/^[^:]*:\/\/[^:]*:(.*)@/s, /[?&]password=([^&#]*)/].map(
      (place) => place.exec(address)?.[1] ?? '',
    ),
  ]
  const secrets = passwords
    .flatMap((password) => [password, decoded(password)])
    .filter((secret) => secret !== '')
    .concat(address, url.search === '' ? [] : url.search) // parameters may hold secrets
  return { connectionString: url.href, schema, shown: shownAddress(address), secrets }
}

/**
 * A text from outside, or `instead` if it contains a password of the address. Cutting the password out would
 * let a reader infer it from the gap.
 */
export function withoutSecrets(
  text: string,
  { secrets }: Pick<PostgresAddress, 'secrets'>,
  instead: string,
): string {
  return secrets.some((secret) => text.includes(secret)) ? instead : text
}

/**
 * A password with an unescaped `/`, `?` or `#` ends the host early, and the parser takes the rest for
 * something else.
 */
function isCutShort({ pathname, searchParams, hash }: URL): boolean {
  const others = [...searchParams].filter(([name]) => name !== 'password' && name !== 'user')
  return hash !== '' || pathname.includes('@') || others.flat().some((text) => text.includes('@'))
}

function unreadable() {
  return usageError(
    'The address of the PostgreSQL store cannot be read.',
    'Write postgres://USER:PASSWORD@HOST:PORT/DATABASE, signs in the password as %40 and so on.',
  )
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
