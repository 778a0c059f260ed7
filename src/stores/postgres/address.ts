// The address of a store on PostgreSQL, taken apart. What is shown of it holds no secret.
import { shownAddress } from '../../core/text/address.ts'
import { usageError } from '../errors.ts'

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
