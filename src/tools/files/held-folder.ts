// A workspace directory held open, so that a changed link cannot redirect operations
import { constants, existsSync } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { Place, Workspace } from '../workspace.ts'
import { isErrno } from './file-errors.ts'

/** Where the system lets one reach into open folders and tells where open files are; Linux does. */
export const DESCRIPTORS = '/proc/self/fd'
export const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

export interface HeldFolder {
  /** Goes through the open folder, wherever someone may have moved it. */
  reach(name: string): string
  close(): Promise<void>
}

/** The folder of a place; no link is followed on the way from the root. `missing`: whether folders are made. */
export async function holdFolderOf(
  { root }: Pick<Workspace, 'root'>,
  { path }: Place,
  missing: 'make' | 'leave',
): Promise<HeldFolder> {
  let at = root
  let held = await open(at, FOLDER)
  try {
    for (const name of relative(root, dirname(path)).split(sep).filter(Boolean)) {
      const inside = join(reachThrough(held, at), name)
      if (missing === 'make')
        await mkdir(inside).catch((error: unknown) => {
          if (!isErrno(error) || error.code !== 'EEXIST') throw error
        })
      const next = await open(inside, FOLDER)
      await held.close()
      held = next
      at = join(at, name)
    }
  } catch (error) {
    await held.close()
    throw error
  }
  return { reach: (name) => join(reachThrough(held, at), name), close: () => held.close() }
}

const canReach = existsSync(DESCRIPTORS)

/** Elsewhere than on Linux only the path is left: what is opened there is checked once more. */
function reachThrough(folder: FileHandle, path: string): string {
  return canReach ? join(DESCRIPTORS, String(folder.fd)) : path
}
