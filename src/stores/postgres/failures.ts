// Translates error codes of PostgreSQL, its driver and the network into our errors.
import { PrecisError } from '../../core/errors.ts'
import { FAILED, type Meaning, meaningError, TOO_LARGE } from '../errors.ts'
import { type PostgresAddress, withoutSecrets } from './connection.ts'

const LOST: Meaning = {
  code: 'unreachable',
  what: 'cannot be reached',
  hint: 'Check host and port, and that the server runs. Confirmed appends are stored; you can repeat this one.',
  retryable: true,
}
const BUSY: Meaning = {
  code: 'store-busy',
  what: 'is held by others that do not let go',
  hint: 'Try again. If it keeps failing, look for sessions that hold locks or use all connections.',
  retryable: true,
}
const REFUSED: Meaning = {
  code: 'auth-failed',
  what: 'does not let this user in',
  hint: 'Check user and password of the address, and the rules of the server.',
}
const FULL: Meaning = {
  code: 'store-full',
  what: 'cannot grow: the disk of the server is full',
  hint: 'Free some space there and try again; stored data is intact.',
  retryable: true,
}
const READONLY: Meaning = {
  code: 'store-readonly',
  what: 'may not be written by this user',
  hint: 'The user needs its own schema (or the right to create one), and a server that takes writes.',
}
const CORRUPT: Meaning = {
  code: 'store-corrupt',
  what: 'is damaged',
  hint: 'Nothing was changed. Restore the database from a backup.',
}
const UNTRUSTED: Meaning = {
  code: 'tls-failed',
  what: 'cannot be trusted',
  hint: 'Name the certificate of its authority with ?sslmode=verify-full&sslrootcert=FILE, or have the server encrypt.',
}

/** Keyed by the whole SQLSTATE or by its class, the first two characters. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  '08': LOST,
  '57P01': LOST, // the server is shutting down
  '57P02': LOST, // another backend crashed
  '57P03': LOST, // the server is starting
  '57P05': LOST, // the session was idle for too long
  '25P03': LOST, // idle in a transaction for too long
  '53300': BUSY, // too many connections
  '55P03': BUSY, // lock timeout
  '57014': BUSY, // statement timeout
  '40001': BUSY,
  '40P01': BUSY, // deadlock: the other transaction went on
  '28': REFUSED,
  '3D000': {
    code: 'not-found',
    what: 'is a database that does not exist',
    hint: 'Correct the name, or create the database with createdb.',
  },
  '42501': READONLY,
  '3F000': READONLY, // a schema this user cannot use
  '25006': READONLY,
  '53100': FULL,
  '54': TOO_LARGE,
  '42P01': CORRUPT, // missing table
  '42703': CORRUPT, // missing column
  XX001: CORRUPT,
  XX002: CORRUPT,
}

/** `ECONNREFUSED`, `ENOTFOUND`, `EAI_AGAIN`: codes of the operating system, not Node's own. */
const NETWORK = /^E(?!RR_)[A-Z_]+$/
const NO_TLS = /does not support SSL/
const CERTIFICATE = /CERT|SIGNATURE|TLS/
/** The driver reports a closed connection without a code. */
const LOST_WORDS = /connection|not queryable|timeout|socket/i

const LEFT_OUT = 'the details hold the password and are left out'

/** Anything thrown by database work. The result never contains the password. */
export function storeFailure(thrown: unknown, address: PostgresAddress): PrecisError {
  if (PrecisError.is(thrown)) return thrown
  const code = readCode(thrown)
  const reason = withoutSecrets(readReason(thrown, code), address, code || LEFT_OUT)
  return meaningError(readMeaning(thrown), { where: address.shown, reason, code })
}

/** The connection was lost or never made; what was sent may or may not have been executed. */
export function isLost(thrown: unknown): boolean {
  return !PrecisError.is(thrown) && readMeaning(thrown) === LOST
}

/** The server exists and will accept calls soon. */
export function isStarting(thrown: unknown): boolean {
  return readCode(thrown) === '57P03'
}

/** Undone as a whole because of another transaction, or never begun: safe to repeat. */
export function isUndone(thrown: unknown): boolean {
  return isCrowded(thrown) || ['40001', '40P01', '53300'].includes(readCode(thrown))
}

/** All connections of this process were in use for too long (the driver's wording). */
function isCrowded(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message === 'timeout exceeded when trying to connect'
}

/** A row with this key exists. */
export function isTaken(thrown: unknown): boolean {
  return readCode(thrown) === '23505'
}

function readMeaning(thrown: unknown): Meaning {
  const code = readCode(thrown)
  if (NETWORK.test(code)) return LOST
  if (CERTIFICATE.test(code)) return UNTRUSTED
  if (code !== '') return MEANINGS[code] ?? MEANINGS[code.slice(0, 2)] ?? FAILED
  if (thrown instanceof Error && NO_TLS.test(thrown.message)) return UNTRUSTED
  if (isCrowded(thrown)) return BUSY
  return thrown instanceof Error && LOST_WORDS.test(thrown.message) ? LOST : FAILED
}

/** Node throws an AggregateError after trying several addresses of a host; use the first error. */
function readCode(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return ''
  if ('code' in thrown && thrown.code) return String(thrown.code)
  return thrown instanceof AggregateError ? readCode(thrown.errors[0]) : ''
}

/**
 * Network errors are named by their code alone, so the text does not depend on the password. After trying
 * several addresses there is no message either.
 */
function readReason(thrown: unknown, code: string): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return message === '' || NETWORK.test(code) ? code : message
}
