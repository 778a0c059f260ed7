// The token of this machine: its private file and its rights.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { link, lstat, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PrecisError } from '../../core/errors.ts'
import type { AccessTokens, TokenHolder } from '../ports.ts'
import { LOCAL_OWNER } from './owners.ts'
import { computeDigest, TOKEN_BYTES } from './tokens.ts'

const FILE = 'serve-token'

const TOKEN = /^precis_[\w-]{43}$/

/**
 * Reads the token from a state folder, or creates it there. Two processes at once end with the same token.
 */
export async function localToken(folder: string): Promise<string> {
  const file = join(folder, FILE)
  const known = await readToken(file)
  if (known !== undefined) return known
  const own = `${file}.${process.pid}-${randomBytes(8).toString('hex')}`
  const token = `precis_${randomBytes(TOKEN_BYTES).toString('base64url')}`
  try {
    await writeFile(own, `${token}\n`, { mode: 0o600, flag: 'wx' })
    await link(own, file) // atomic: whole or not at all
  } catch (thrown) {
    // Another process was faster: use its token.
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(file, thrown)
  } finally {
    await rm(own, { force: true })
  }
  const made = await readToken(file)
  if (made === undefined) throw unwritable(file)
  return made
}

/** Accepts the token of this machine besides those of the store; every request needs one of them. */
export function withLocalToken(tokens: AccessTokens, token: string): AccessTokens {
  const digest = computeDigest(token)
  return {
    isRequired: true,
    holderOf(given): TokenHolder | undefined {
      if (!timingSafeEqual(computeDigest(given), digest)) return tokens.holderOf(given)
      // Without other tokens, all threads belong to this machine.
      return tokens.isRequired
        ? { name: LOCAL_NAME, owner: LOCAL_OWNER }
        : { name: LOCAL_NAME, isOwnerOfMachine: true }
    },
  }
}

/** A name no stored token can have. */
const LOCAL_NAME = 'this machine'

async function readToken(file: string): Promise<string | undefined> {
  const found = await lstat(file).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return undefined
    throw unsafe(file, 'cannot be looked at', thrown)
  })
  if (!found) return undefined
  if (!found.isFile()) throw unsafe(file, 'is not a file')
  if (process.getuid && found.uid !== process.getuid())
    throw unsafe(file, 'belongs to another user')
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0)
    throw unsafe(file, 'can be read by other users')
  const text = (await readFile(file, 'utf8')).trim()
  if (!TOKEN.test(text)) throw unsafe(file, 'does not hold a token')
  return text
}

function unsafe(file: string, what: string, cause?: unknown): PrecisError {
  return new PrecisError('file-unreadable', `The token file ${what}.`, {
    where: file,
    hint: 'Delete the file: the next start creates a new one.',
    cause,
  })
}

function unwritable(file: string, cause?: unknown): PrecisError {
  return new PrecisError('file-unwritable', 'The token file cannot be created.', {
    where: file,
    hint: 'Set PRECIS_HOME to a directory that you can write to.',
    cause,
  })
}
