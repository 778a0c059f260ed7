// The address of a store on PostgreSQL, taken apart. What is shown of it holds no secret.
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
const SHORTEST_SECRET = 3

/** Takes `postgres://USER:PASSWORD@HOST:PORT/DATABASE?schema=NAME` and all that the driver knows. */
export function readAddress(address: string): PostgresAddress {
  let url: URL
  try {
    url = new URL(address)
  } catch {
    // Without its cause, which repeats the address with the password.
    throw usageError(
      'The address of the PostgreSQL store cannot be read.',
      'Write postgres://USER:PASSWORD@HOST:PORT/DATABASE, signs in the password as %40 and so on.',
    )
  }
  const schema = url.searchParams.get('schema') ?? DEFAULT_SCHEMA
  if (!SCHEMA.test(schema)) {
    throw usageError(
      'The schema of a PostgreSQL store is a name of small letters, digits and _.',
      'Use up to 48 of them, a letter first, not pg_; or leave it out.',
    )
  }
  url.searchParams.delete('schema')
  const passwords = [url.password, url.searchParams.get('password') ?? '']
  const secrets = passwords
    .flatMap((password) => [password, decoded(password)])
    .filter((secret) => secret.length >= SHORTEST_SECRET)
  return { connectionString: url.href, schema, shown: shownOf(url, schema), secrets }
}

/** A text from outside without the secrets of the address. */
export function withoutSecrets(text: string, { secrets }: PostgresAddress): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, '***'), text)
}

function shownOf({ username, host, pathname }: URL, schema: string): string {
  const place = `postgres://${username === '' ? '' : `${username}@`}${host}${pathname}`
  return schema === DEFAULT_SCHEMA ? place : `${place}?schema=${schema}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
