// Replaces a file atomically; keeps mode and owner.
import { randomUUID } from 'node:crypto'
import { type BigIntStats, constants, lstatSync } from 'node:fs'
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { PrecisError } from '../../core/errors.ts'
import { isInside, type Place, type Workspace } from '../workspace.ts'
import { isErrno, namingFile, requireFile, requireUnlocked } from './file-errors.ts'
import { type HeldFolder, readHoldFolder, requireHeldInside } from './open-file.ts'

const WRITING = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

const MODE_BITS = 0o7777n

/** Identifies a state of a file. */
export type FileMark = Pick<BigIntStats, 'ino' | 'size' | 'mtimeNs'>

interface Replacement {
  readonly place: Place
  readonly bytes: number
  readonly bytesBefore?: number // absent if there was no file
}

/** One mark per state, including a missing file. */
export function computeMark(file: FileMark | undefined): string {
  return file ? `${file.ino} ${file.size} ${file.mtimeNs}` : 'no file'
}

/** With `mark`, only if the file is unchanged. Creates missing folders. */
export async function replaceFile(
  workspace: Workspace,
  path: string,
  text: string,
  mark?: FileMark | string,
): Promise<Replacement> {
  const place = await workspace.locate(path)
  requireWritable(workspace, place)
  return namingFile(place.name, async () => {
    const folder = await readHoldFolder(workspace, place, 'make')
    try {
      const target = folder.reach(basename(place.path))
      const before = await computeStats(target)
      if (before) {
        requireFile(before, place.name)
        await requireUnlocked(target, place.name, LOCKED)
      }
      const bytes = Buffer.from(text)
      const temporary = await writeBeside(workspace, place, folder, bytes, before)
      try {
        if (mark) await requireUnchanged(target, place.name, mark)
        await rename(temporary, target)
      } catch (error) {
        await rm(temporary, { force: true })
        throw error
      }
      return { place, bytes: bytes.length, ...(before && { bytesBefore: Number(before.size) }) }
    } finally {
      await folder.close()
    }
  })
}

function requireWritable({ root, isReadOnly }: Workspace, place: Place): void {
  if (isReadOnly)
    throw new PrecisError('invalid-input', 'The workspace is read-only: nothing was written.', {
      hint: 'Say what you would change instead.',
    })
  if (isOfGit(root, place))
    throw new PrecisError('invalid-input', `${place.name} belongs to git itself.`, {
      hint: 'Use `run` with a git command.',
    })
}

const LEAVE = 'Nothing was written. Leave it as it is, or ask the user.'

const LOCKED = { locked: LEAVE, forbidden: LEAVE }

async function computeStats(path: string): Promise<BigIntStats | undefined> {
  return lstat(path, { bigint: true }).catch((error: unknown) => {
    if (isErrno(error) && error.code === 'ENOENT') return undefined
    throw error
  })
}

/** In the same folder, so that the rename is atomic; checked before writing. */
async function writeBeside(
  { root }: Workspace,
  { path, name }: Place,
  folder: HeldFolder,
  bytes: Buffer,
  before: BigIntStats | undefined,
): Promise<string> {
  const temporaryName = `.${basename(path).slice(0, 40)}.${randomUUID()}.tmp`
  const temporary = folder.reach(temporaryName)
  const file = await open(temporary, WRITING, 0o666)
  try {
    await requireHeldInside(root, file, { path: join(dirname(path), temporaryName), name })
    if (before) await keepRights(file, before)
    await file.writeFile(bytes)
    await file.sync()
    return temporary
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

/** Owner before mode, because changing the owner clears some bits. Only root can change it. */
async function keepRights(file: FileHandle, before: BigIntStats): Promise<void> {
  if (process.getuid?.() === 0) await file.chown(Number(before.uid), Number(before.gid))
  await file.chmod(Number(before.mode & MODE_BITS))
}

async function requireUnchanged(
  path: string,
  name: string,
  mark: FileMark | string,
): Promise<void> {
  const now = computeMark(await computeStats(path))
  if (now === (typeof mark === 'string' ? mark : computeMark(mark))) return
  throw new PrecisError('file-unwritable', `${name} has changed since it was read.`, {
    hint: 'Nothing was written. Read it again and repeat the call.',
  })
}

/** Characters that some file systems ignore in names. */
const IGNORED = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff]/g

/** Trailing blanks and dots, streams, and short names mean the same folder on other systems. */
const GIT = /^(?:\.git|git~\d+)[. ]*(?::.*)?$/i

/** By its name in any spelling, or because a parent folder is a repository under another name. */
function isOfGit(root: string, { path, name }: Place): boolean {
  const parts = name.normalize('NFKC').replaceAll(IGNORED, '').split(/[/\\]/)
  return parts.some((part) => GIT.test(part)) || isInRepository(root, dirname(path))
}

/** `git init --separate-git-dir`, a bare repository, a worktree: each has these files. */
function isInRepository(root: string, folder: string): boolean {
  for (let at = folder; isInside(root, at); at = dirname(at)) {
    if (isThere(join(at, 'HEAD')) && (isThere(join(at, 'commondir')) || holdsObjects(at)))
      return true
    if (at === dirname(at)) break
  }
  return false
}

function holdsObjects(folder: string): boolean {
  return isThere(join(folder, 'objects')) && isThere(join(folder, 'refs'))
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}
