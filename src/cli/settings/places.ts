// Locations of settings files and the data directory. Imports nothing else, because hooks must start fast.
import { statSync } from 'node:fs'
import { chmod, mkdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { PrecisError } from '../../core/errors.ts'
import { platformFolders, stateFolderPath } from '../../hosts/platform-folders.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Where a command runs. */
export interface Surroundings {
  readonly cwd: string
  readonly environment: Environment
}

const FILE = 'settings.json'
/** The user's own store, in the data directory. */
export const STORE_FILE = 'threads.db'

/** The user's own folder for settings. */
export function configFolder(environment: Environment): string {
  return dirname(userFile(environment))
}

export function userFile(environment: Environment): string {
  const { XDG_CONFIG_HOME } = environment
  const folder = XDG_CONFIG_HOME ? join(XDG_CONFIG_HOME, 'precis') : undefined
  return join(folder ?? platformFolders(environment).config, FILE)
}

/** The nearest `.precis/settings.json`, in the working directory or above it. */
export function projectFile(cwd: string): string | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const file = join(folder, '.precis', FILE)
    if (isThere(file)) return file
    if (dirname(folder) === folder) return undefined
  }
}

/** A link loop counts as present: the search must not continue above it. */
function isThere(file: string): boolean {
  try {
    statSync(file)
    return true
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'ELOOP'
  }
}

/**
 * The data directory: `PRECIS_HOME`, or the platform's. Created on first use with access for its owner only.
 */
export async function stateFolder(io: Surroundings): Promise<string> {
  const folder = stateFolderPath(io)
  try {
    const made = await mkdir(folder, { recursive: true, mode: 0o700 })
    // umask restricts the mode of a new folder but never widens it; an existing one keeps its mode.
    if (made !== undefined) await chmod(folder, 0o700)
  } catch (thrown) {
    throw new PrecisError('file-unwritable', 'the data directory cannot be created', {
      where: folder,
      hint: 'Set PRECIS_HOME to a directory that you can write to.',
      cause: thrown,
    })
  }
  await requireOwn(folder)
  return folder
}

/** Other users with write access could replace the user's store. */
async function requireOwn(folder: string): Promise<void> {
  const user = process.getuid?.()
  if (user === undefined) return // Windows has neither owners nor modes
  const { uid, mode } = await stat(folder)
  const isOfOther = user !== 0 && uid !== user
  if (!isOfOther && (mode & 0o002) === 0) return
  const why = isOfOther ? 'belongs to another user' : 'is writable by every user'
  throw new PrecisError('file-unwritable', `the data directory ${why}`, {
    where: folder,
    hint: isOfOther
      ? 'Set PRECIS_HOME to a directory that belongs to you.'
      : `Run chmod 700 ${folder}, or set PRECIS_HOME to a directory that belongs to you.`,
  })
}
