// Files and streams: text input, and output that is written completely or not at all.
import type { Stats } from 'node:fs'
import {
  type FileHandle,
  mkdir,
  open,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { PrecisError } from '../../core/errors.ts'
import { requireUnlocked as requireWritableFile } from '../../tools/files/file-errors.ts'
import type { Input, Io } from '../process-io.ts'

/** The largest input that fits into one string. */
const MAX_INPUT_BYTES = 256_000_000
/** Conversations are private. */
const PRIVATE_MODE = 0o600

/** The text of a file; `-` is standard input. */
export async function readText(source: string, io: Pick<Io, 'stdin' | 'cwd'>): Promise<string> {
  const bytes = source === '-' ? await readStream(io.stdin) : await readBytes(source, io.cwd)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (thrown) {
    throw new PrecisError('invalid-input', 'the input is not text in UTF-8', {
      where: readName(source),
      hint: 'Give it a JSON document, not a binary file.',
      cause: thrown,
    })
  }
}

async function readBytes(file: string, cwd: string): Promise<Uint8Array> {
  try {
    const path = resolve(cwd, file)
    const { size } = await stat(path)
    if (size > MAX_INPUT_BYTES) throw tooLarge(file)
    return await readFile(path)
  } catch (thrown) {
    if (PrecisError.is(thrown)) throw thrown
    throw unreadable(file, thrown)
  }
}

async function readStream(stdin: Input): Promise<Uint8Array> {
  return Buffer.concat(await readPieces(stdin, '-'))
}

/** Input that cannot be read twice is held in memory. */
export async function readPieces(
  stream: AsyncIterable<Uint8Array | string>,
  source: string,
): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of stream) {
    const bytes = Buffer.from(piece as string)
    pieces.push(bytes)
    size += bytes.length
    if (size > MAX_INPUT_BYTES) throw tooLarge(source)
  }
  return pieces
}

function tooLarge(source: string): PrecisError {
  return new PrecisError('invalid-input', 'the input is larger than 256 MB', {
    where: readName(source),
    hint: 'Split the conversation into smaller files.',
  })
}

export function unreadable(
  file: string,
  thrown: unknown,
  missing = 'Check the path; `-` reads standard input.',
): PrecisError {
  const { code, message } = thrown as NodeJS.ErrnoException
  const options = { where: file, cause: thrown }
  if (code === 'ENOENT')
    return new PrecisError('not-found', `there is no file ${file}`, {
      ...options,
      hint: missing,
    })
  if (code === 'EISDIR')
    return new PrecisError('file-unreadable', `${file} is a directory`, {
      ...options,
      hint: 'Name a file in it.',
    })
  return new PrecisError('file-unreadable', `${file} cannot be read: ${message}`, {
    ...options,
    hint: 'Check that you may read it.',
  })
}

/** Whether two paths name the same file, also through links. */
export async function isSameFile(
  one: string,
  other: string,
  { cwd }: Pick<Io, 'cwd'>,
): Promise<boolean> {
  const paths = [resolve(cwd, one), resolve(cwd, other)]
  if (paths[0] === paths[1]) return true
  const [a, b] = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)))
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino
}

/** Whether writing there would overwrite something: devices and pipes hold nothing. */
export async function isThere(file: string, { cwd }: Pick<Io, 'cwd'>): Promise<boolean> {
  return (await stat(resolve(cwd, file)).catch(() => undefined))?.isFile() ?? false
}

/** Call this before any work. */
export async function refuseDirectory(file: string, { cwd }: Pick<Io, 'cwd'>): Promise<void> {
  const there = await stat(resolve(cwd, file)).catch(() => undefined)
  if (there?.isDirectory()) throw isDirectory(file)
}

function isDirectory(file: string): PrecisError {
  return new PrecisError('file-unwritable', `${file} is a directory`, {
    where: file,
    hint: 'Name a file in it.',
  })
}

/** What to write: a text, its pieces, or bytes. */
export type Written = string | Iterable<string> | Uint8Array

/** Writes a sibling file and renames it. A failure leaves the old file. */
export async function writeText(
  file: string,
  text: Written,
  { cwd }: Pick<Io, 'cwd'>,
): Promise<void> {
  const path = resolve(cwd, file)
  try {
    const there = await stat(path).catch(ifMissing)
    if (there?.isDirectory()) throw isDirectory(file)
    // Devices and pipes cannot be renamed over.
    if (there && !there.isFile()) return await writeFile(path, text)
    if (there) await requireUnlocked(path, file)
    await replaceFile(there ? await realpath(path) : path, text, there)
  } catch (thrown) {
    if (PrecisError.is(thrown)) throw thrown
    throw unwritable(file, thrown)
  }
}

/** Renaming could replace it even if it is locked. */
export function requireUnlocked(path: string, file: string): Promise<void> {
  return requireWritableFile(path, file, {
    locked: 'Its owner locked it. To change it all the same, run chmod u+w on it first.',
    forbidden: 'Ask its owner to allow it, or run this as a user who may write it.',
  })
}

async function replaceFile(target: string, text: Written, before?: Stats): Promise<void> {
  const { randomBytes } = await import('node:crypto') // loading it takes longer than most of a hook
  const folder = dirname(target)
  const beside = join(folder, `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    await withHandle(await open(beside, 'wx', PRIVATE_MODE), async (handle) => {
      await handle.writeFile(text)
      // Only root can change owners, and that clears some mode bits.
      if (before) await handle.chown(before.uid, before.gid).catch(() => undefined)
      await handle.chmod(before ? before.mode & 0o777 : PRIVATE_MODE)
      await handle.sync()
    })
    await rename(beside, target)
  } catch (thrown) {
    await rm(beside, { force: true })
    throw thrown
  }
  // Some file systems cannot sync a folder; the file itself is safe.
  await open(folder, 'r')
    .then((handle) => withHandle(handle, () => handle.sync()))
    .catch(() => undefined)
}

async function withHandle(handle: FileHandle, work: (handle: FileHandle) => Promise<void>) {
  try {
    await work(handle)
  } finally {
    await handle.close()
  }
}

function ifMissing(thrown: NodeJS.ErrnoException): undefined {
  if (thrown.code !== 'ENOENT') throw thrown
  return undefined
}

/** Creates a folder and its missing parents. Returns the topmost one it created. */
export async function makeFolder(folder: string, mode = 0o777): Promise<string | undefined> {
  try {
    return await mkdir(folder, { recursive: true, mode })
  } catch (thrown) {
    throw unwritable(folder, thrown)
  }
}

export function unwritable(file: string, thrown: unknown): PrecisError {
  const { code, message } = thrown as NodeJS.ErrnoException
  const failed = (sentence: string, hint: string) =>
    new PrecisError('file-unwritable', sentence, { where: file, hint, cause: thrown })
  switch (code) {
    case 'EEXIST':
    case 'ENOTDIR':
      return failed(
        `${file} cannot be written: a part of the path is a file, not a directory`,
        'Check that you may write there.',
      )
    case 'ENOENT':
      return failed(`there is no directory ${dirname(file)}`, 'Create the directory first.')
    case 'ENOSPC':
      return failed(
        `${file} cannot be written: the disk is full`,
        'Make room there, or write to another disk.',
      )
    case 'EDQUOT':
      return failed(
        `${file} cannot be written: your share of the disk is used up`,
        'Make room there, or write to another disk.',
      )
    default:
      return failed(`${file} cannot be written: ${message}`, 'Check that you may write there.')
  }
}

/** Writes to a stream and waits. A reader that went away (`| head`) is not a failure. */
export function writeStream(stream: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise((done, fail) => {
    stream.write(text, (error) => {
      const { code } = (error ?? {}) as NodeJS.ErrnoException
      if (!error || code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') done()
      else fail(unwritable('standard output', error))
    })
  })
}

function readName(source: string): string {
  return source === '-' ? 'standard input' : source
}
