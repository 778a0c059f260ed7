// Addresses of stores on PostgreSQL: what is used of them, and what is shown.
import { describe, expect, it } from 'vitest'
import { asPrecisError } from '../../core/errors.ts'
import { readAddress, withoutSecrets } from './connection.ts'

const SHOWN: readonly (readonly [string, string])[] = [
  ['postgres://host/db', 'postgres://host/db'],
  ['postgresql://me:s3cret@host:5433/db?schema=team', 'postgresql://me@host:5433/db?schema=team'],
  ['postgres://me:s3@cret@host/db', 'postgres://…'],
  ['postgres://me:a%40b%2Fc@[::1]/db?password=s3cret', 'postgres://me@[::1]/db'],
]
const REFUSED = [
  'postgres://me:s3cret@host:port/db',
  'postgres://me:5432/s3cret@host/db',
  'postgres://me:5432?s3cret@host/db',
  'postgres://me:5432?a=s3cret@host/db',
  'postgres://me:5432#s3cret@host/db',
  'postgres://me:s3cret@host/db?schema=Team',
  'postgres://me:s3cret@host/db?schema=pg_team',
  'postgres://me:s3cret@host/db?schema=a%22b',
  `postgres://me:s3cret@host/db?schema=${'x'.repeat(49)}`,
]

describe('the address of a store on PostgreSQL', () => {
  it.each(SHOWN)('%s is shown without its secrets', (address, shown) => {
    expect(readAddress(address).shown).toBe(shown)
  })

  it('names the schema, which the driver does not see', () => {
    const { schema, connectionString } = readAddress('postgres://host/db?schema=team&sslmode=x')
    expect(schema).toBe('team')
    expect(connectionString).toBe('postgres://host/db?sslmode=x')
    expect(readAddress('postgres://host/db').schema).toBe('precis')
  })

  it.each(['a%40b%2Fc', 'a@b/c', 's3cret'])('gives no text that holds %s', (secret) => {
    const address = readAddress('postgres://me:a%40b%2Fc@host/db?password=s3cret')
    expect(withoutSecrets(`no ${secret} here`, address, '08006')).toBe('08006')
    expect(withoutSecrets('timeout', address, '08006')).toBe('timeout')
  })

  it.each(REFUSED)('%s is refused in a sentence without the password', (address) => {
    let thrown: unknown
    try {
      readAddress(address)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ code: 'usage', hint: expect.any(String) })
    const { message, hint, stack, cause } = asPrecisError(thrown)
    expect(`${message}${stack}${hint}${String(cause)}`).not.toContain('s3cret')
  })
})
