// How connections to the database are made, and what is set on each.
import pg from 'pg'
import { shownAddress } from '../../core/text/address.ts'
import { usageError } from '../errors.ts'

export interface DatabaseOptions {
  /** Connections that one process uses at most, besides one for followers. */
  readonly connections: number
  /** How long a call waits for the locks of others before it is `store-busy`. */
  readonly busyTimeoutMs: number
  /** How long a call is tried again while the server cannot be reached. */
  readonly retryForMs: number
  /** Makes no new store where there is none. */
  readonly mustExist?: boolean
}

const CONNECT_TIMEOUT_MS = 10_000
/** A server that answers nothing at all is given up, and its connection with it. */
const SILENCE_MS = 120_000
/** A process that stopped in the middle must not hold its locks for ever. */
const IDLE_IN_TRANSACTION_MS = 60_000

/** Whole numbers come as text otherwise; ours are all within what a number holds. */
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
    void new pg.Client(config) // reads the parameters, and the files of certificates that they name
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
 * Statements are planned once, not anew for the length of every list that they are given. A plan that
 * was made while the tables were small must do when they are large: so all go by the indexes. Where
 * there is none, that makes a plan look so dear that the server would compile it at every call, which
 * takes a hundred times as long as the call.
 */
const PLANNING = `set_config('plan_cache_mode', 'force_generic_plan', false),
  set_config('jit', 'off', false),
  set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false),
  set_config('enable_mergejoin', 'off', false)`

/** Our tables without their schema's name; and a commit is on the disk, whatever the server's settings. */
export async function settle(client: pg.ClientBase, { schema }: PostgresAddress): Promise<void> {
  await client.query(
    `SELECT ${PLANNING}, set_config('search_path', $1, false), set_config('synchronous_commit',
     CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on'
     ELSE current_setting('synchronous_commit') END, false)`,
    [schema],
  )
}

/** The address of a store on PostgreSQL, taken apart. What is shown of it holds no secret. */
export interface PostgresAddress {
  readonly connectionString: string
  /** Where the tables are: several stores fit into one database. */
  readonly schema: string
  /** The address without password and parameters, but with its schema: for errors and logs. */
  readonly shown: string
  /** What must not be in any error. */
  readonly secrets: readonly string[]
}

const DEFAULT_SCHEMA = 'precis'
/** So that it can stand in SQL and in the name of a channel as it is, and PostgreSQL cuts neither. */
const SCHEMA = /^(?!pg_)[a-z_][a-z0-9_]{0,47}$/

/** Takes `postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME` and all that the driver knows. */
export function readAddress(address: string): PostgresAddress {
  // Without a cause, which would repeat the address with the password.
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
    // As they are written there, which may be neither.
    ...[/^[^:]*:\/\/[^:]*:(.*)@/s, /[?&]password=([^&#]*)/].map(
      (place) => place.exec(address)?.[1] ?? '',
    ),
  ]
  const secrets = passwords
    .flatMap((password) => [password, decoded(password)])
    .filter((secret) => secret !== '')
    .concat(address, url.search === '' ? [] : url.search) // parameters hold whatever they hold
  return { connectionString: url.href, schema, shown: shownAddress(address), secrets }
}

/**
 * A text from outside, or `instead` where a password of the address is in it. Nothing is cut out of
 * the text: who knows its words could tell what is missing.
 */
export function withoutSecrets(
  text: string,
  { secrets }: Pick<PostgresAddress, 'secrets'>,
  instead: string,
): string {
  return secrets.some((secret) => text.includes(secret)) ? instead : text
}

/** A password with a bare `/`, `?` or `#` ends the host early, and its rest is taken for something else. */
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
