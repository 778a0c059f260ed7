// File system errors as sentences with the next step.
import { constants, type Stats } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { type ErrorCode, PrecisError } from '../../core/errors.ts'

/** Error number → code, problem, and remedy. `NAME` stands for the path. */
const SENTENCES: Readonly<Record<string, readonly [ErrorCode, string, string]>> = {
  ENOENT: ['not-found', 'NAME does not exist.', 'Look with `list` or `search` for its right path.'],
  EACCES: ['file-unreadable', 'NAME may not be accessed: permission denied.', 'Leave it alone.'],
  EPERM: ['file-unwritable', 'NAME may not be changed: not permitted.', 'Leave it alone.'],
  EISDIR: ['invalid-input', 'NAME is a directory.', 'Use `list` for directories.'],
  ENOTDIR: ['invalid-input', 'A part of NAME is a file, not a directory.', 'Check the path.'],
  ELOOP: ['invalid-input', 'NAME is a link, or its links lead in a circle.', 'Use another path.'],
  ENAMETOOLONG: ['invalid-input', 'The path is too long.', 'Use a shorter one.'],
  ENOSPC: ['file-unwritable', 'NAME was not written: the disk is full.', 'Free some space first.'],
  EROFS: ['file-unwritable', 'NAME was not written: the disk is read-only.', 'Write elsewhere.'],
}

export function isErrno(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

export function fileError(error: NodeJS.ErrnoException, name = error.path ?? 'It'): PrecisError {
  const [code, message, hint] = SENTENCES[error.code ?? ''] ?? [
    'file-unreadable',
    `NAME cannot be used: ${error.code ?? error.message}.`,
    'Use another path.',
  ]
  return new PrecisError(
    code,
    message.replace('NAME', () => name),
    { hint, cause: error },
  )
}

/** Runs the work and names `name` in errors, the only path the model knows. */
export async function namingFile<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isErrno(error) ? fileError(error, name) : error
  }
}

/**
 * Renaming could replace a locked file, but its owner protected it, from root too, or only others may write
 * it. `hint` names the remedy.
 */
export async function requireUnlocked(
  path: string,
  name: string,
  hint: { readonly locked: string; readonly forbidden: string },
): Promise<void> {
  const { mode } = await stat(path)
  const refused = (message: string, way: string, cause?: unknown) =>
    new PrecisError('file-unwritable', message, { where: name, hint: way, cause })
  if ((mode & 0o222) === 0) throw refused(`${name} cannot be written: it is read-only`, hint.locked)
  await access(path, constants.W_OK).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code !== 'EACCES' && thrown.code !== 'EPERM') throw thrown
    throw refused(`You have no permission to write ${name}`, hint.forbidden, thrown)
  })
}

export function requireFile(stats: Pick<Stats, 'isFile' | 'isDirectory'>, name: string): void {
  if (stats.isFile()) return
  if (stats.isDirectory())
    throw new PrecisError('invalid-input', `${name} is a directory.`, {
      hint: 'Use `list` for directories.',
    })
  throw new PrecisError(
    'invalid-input',
    `${name} is not a regular file (a pipe, socket or device).`,
    {
      hint: 'Only regular files can be read and written.',
    },
  )
}
