// Opens workspace files, and verifies that the opened file is the one looked up
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { PrecisError } from '../../core/errors.ts'
import { isInside, type Place, type Workspace } from '../workspace.ts'
import { isErrno, namingFile, requireFile } from './file-errors.ts'
import { DESCRIPTORS, holdFolderOf } from './held-folder.ts'

/** A pipe without a writer would keep `open` waiting for ever. */
const READING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

export interface OpenedFile {
  readonly place: Place
  readonly file: FileHandle
}

/** A regular file, for reading. Whoever opens it closes it. */
export async function openInWorkspace(workspace: Workspace, path: string): Promise<OpenedFile> {
  const place = await workspace.locate(path)
  return { place, file: await openPlace(workspace.root, place) }
}

export async function openPlace(root: string, place: Place): Promise<FileHandle> {
  const { path, name } = place
  return namingFile(name, async () => {
    if (path === root) requireFile(await stat(root), name)
    // No link is followed any more: none was in the path when it was looked up.
    const folder = await holdFolderOf({ root }, place, 'leave')
    try {
      const reached = folder.reach(basename(path))
      // Looked at before: opening a device may already do something.
      requireFile(await lstat(reached), name)
      const file = await open(reached, READING)
      try {
        requireFile(await file.stat(), name)
        await requireHeldInside(root, file, place)
        return file
      } catch (error) {
        await file.close()
        throw error
      }
    } finally {
      await folder.close()
    }
  })
}

/**
 * Between looking a path up and opening it, someone may have put a link in its way. So the open file
 * itself is asked where it is. `descriptors` is another folder only in tests.
 */
export async function requireHeldInside(
  root: string,
  file: FileHandle,
  { path, name }: Place,
  descriptors = DESCRIPTORS,
): Promise<void> {
  const held = await readlink(`${descriptors}/${file.fd}`).catch((error: unknown) => {
    if (!isErrno(error)) throw error
    return undefined // not told on this system
  })
  const isHeld = held === undefined ? await isSameFile(file, path) : isInside(root, held)
  if (isHeld) return
  throw new PrecisError('invalid-input', `${name} led outside the workspace while it was opened.`, {
    hint: 'Something is changing links there; use another path.',
  })
}

/** The path has no link in it now, and the file at its end is the one that is open. */
async function isSameFile(file: FileHandle, path: string): Promise<boolean> {
  const opened = await file.stat({ bigint: true })
  const named = await lstat(path, { bigint: true })
  const folder = dirname(path)
  return opened.ino === named.ino && opened.dev === named.dev && (await realpath(folder)) === folder
}
