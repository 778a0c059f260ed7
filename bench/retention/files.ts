// The files of some folders that may be sessions, in an order that depends on the seed alone.
import { readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { PrecisError } from '../../src/core/errors.ts'
import { shuffled } from './random.ts'

export interface SessionFile {
  readonly path: string
  /** From the folder on: for the terminal, never for a row. */
  readonly name: string
}

const EXTENSIONS = /\.(?:jsonl?|ndjson|md|traj|txt)$/i
/** Synthetic records of a corpus that only show what shapes there are. */
const NO_SESSIONS = /(?:^|[\\/])(?:schema-coverage|LICENSES|node_modules|\.git)(?:[\\/]|$)/

/** Throws `invalid-input` for a folder that cannot be read. */
export function sessionFiles(folders: readonly string[], seed: number): SessionFile[] {
  const files = folders.flatMap((folder) =>
    namesIn(folder)
      .toSorted()
      .map((name) => {
        const path = join(folder, name)
        return { path, name: name === '' ? relative('.', path) : name }
      }),
  )
  return shuffled(
    files.filter(({ path }) => isFile(path)),
    seed,
  )
}

function namesIn(folder: string): string[] {
  if (isFile(folder)) return ['']
  try {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    return names.filter((name) => EXTENSIONS.test(name) && !NO_SESSIONS.test(name))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new PrecisError('invalid-input', `The folder cannot be read: ${reason}`, {
      where: folder,
    })
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
