// Opens workspace files through a directory held open, so that no changed link redirects an operation.
import { constants, existsSync } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { PrecisError } from '../../core/errors.ts'
import { isInside, type Place, type Workspace } from '../workspace.ts'
import { isErrno, namingFile, requireFile } from './file-errors.ts'

/** Without O_NONBLOCK, `open` would wait for ever on a pipe without a writer. */
const READING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

interface OpenedFile {
  readonly place: Place
  readonly file: FileHandle
}

/** Opens a regular file for reading. The caller closes it. */
export async function openInWorkspace(workspace: Workspace, path: string): Promise<OpenedFile> {
  const place = await workspace.locate(path)
  return { place, file: await openPlace(workspace.root, place) }
}

export async function openPlace(root: string, place: Place): Promise<FileHandle> {
  const { path, name } = place
  return namingFile(name, async () => {
    if (path === root) requireFile(await stat(root), name)
    // Follows no link: the path had none when it was looked up.
    const folder = await readHoldFolder({ root }, place, 'leave')
    try {
      const reached = folder.reach(basename(path))
      // Check first: opening a device may already have effects.
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
 * A link may have been placed in the path between lookup and opening, so ask the open file where it is. Only
 * tests pass other `descriptors`.
 */
export async function requireHeldInside(
  root: string,
  file: FileHandle,
  { path, name }: Place,
  descriptors = DESCRIPTORS,
): Promise<void> {
  const held = await readlink(`${descriptors}/${file.fd}`).catch((error: unknown) => {
    if (!isErrno(error)) throw error
    return undefined // this system does not tell
  })
  const isHeld = held === undefined ? await isSameFile(file, path) : isInside(root, held)
  if (isHeld) return
  throw new PrecisError('invalid-input', `${name} led outside the workspace while it was opened.`, {
    hint: 'Something is changing links there; use another path.',
  })
}

/** The path has no link now, and its file is the open one. */
async function isSameFile(file: FileHandle, path: string): Promise<boolean> {
  const opened = await file.stat({ bigint: true })
  const named = await lstat(path, { bigint: true })
  const folder = dirname(path)
  return opened.ino === named.ino && opened.dev === named.dev && (await realpath(folder)) === folder
}

/** Detects the kind of a file from its first bytes: image, text or other. */
export type FileKind =
  | { readonly kind: 'text' }
  | { readonly kind: 'image'; readonly mimeType: string }
  | { readonly kind: 'binary' }

/** As many bytes as git inspects. */
export const KIND_BYTES = 8_000

/** Image types that models accept, by their first bytes. WebP has its mark after a length. */
const IMAGES: readonly (readonly [mimeType: string, start: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
]

export function readFileKind(start: Buffer): FileKind {
  const text = start.subarray(0, 16).toString('latin1')
  const image = IMAGES.find(([, pattern]) => pattern.test(text))
  if (image) return { kind: 'image', mimeType: image[0] }
  return start.subarray(0, KIND_BYTES).includes(0) ? { kind: 'binary' } : { kind: 'text' }
}

/** Where the system exposes open folders and the paths of open files; Linux does. */
export const DESCRIPTORS = '/proc/self/fd'
export const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

export interface HeldFolder {
  /** Goes through the open folder, even if it was moved. */
  reach(name: string): string
  close(): Promise<void>
}

/** Opens the folder of a place without following links. `missing`: whether to create folders. */
export async function readHoldFolder(
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

/** Without Linux only the path is available; what is opened there is checked again. */
function reachThrough(folder: FileHandle, path: string): string {
  return canReach ? join(DESCRIPTORS, String(folder.fd)) : path
}
