// The file of the marks of one store, and the thread that it names for a session; loads nothing else, since hooks must start fast
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { stateFolderPath } from '../../hosts/platform-folders.ts'
import { computeSha256 } from '../../stores/rows/sha256.ts'
import { STORE_FILE, type Surroundings } from '../settings/places.ts'

export function marksFile(address: string, io: Surroundings): string {
  const name = computeSha256(address).slice(0, 12)
  return join(stateFolderPath(io), `synced-${name}.json`)
}

/** Another store has none of the threads. */
export async function storeIdentity(address: string, io: Surroundings): Promise<string> {
  return address === 'sqlite' ? identityOf(join(stateFolderPath(io), STORE_FILE)) : address
}

/** A file that was deleted and created again is another one. */
async function identityOf(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined)
  return found ? `${found.dev}-${found.ino}-${Math.floor(found.birthtimeMs)}` : 'none'
}

interface MarkedSessions {
  readonly store?: string
  readonly sessions?: Readonly<Record<string, { readonly threadId?: unknown }>>
}

/** The thread that a session was imported into; undefined where that is not known. */
export async function markedThread(
  address: string,
  path: string,
  io: Surroundings,
): Promise<string | undefined> {
  const text = await readFile(marksFile(address, io), 'utf8').catch(() => '')
  // A file that was written half is read as none, as `Marks` does.
  if (!text.endsWith('}')) return undefined
  const { store, sessions = {} } = JSON.parse(text) as MarkedSessions
  if (store !== (await storeIdentity(address, io))) return undefined
  const threadId = Object.hasOwn(sessions, path) ? sessions[path]?.threadId : undefined
  return typeof threadId === 'string' ? threadId : undefined
}
