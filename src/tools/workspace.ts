// The only folder tools may touch: resolves a model's path and checks that it is inside.
import { lstatSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { PrecisError } from '../core/errors.ts'
import { fileError, isErrno } from './files/file-errors.ts'

export interface WorkspaceOptions {
  /** The folder of the session; base of relative paths. */
  readonly root: string
  readonly readOnly?: boolean
}

/** A path inside the workspace, with all links resolved. */
export interface Place {
  readonly path: string // absolute, without links at the time of the lookup
  readonly name: string // relative to the root: the name the model knows
}

/**
 * Keeps tools from leaving a folder by mistake or through a planted link. Not a sandbox: a command started by
 * `run` has all rights of its user.
 */
export interface Workspace {
  readonly root: string
  readonly isReadOnly: boolean
  /** The path as written, relative to the root, without following links. For subjects. */
  nameOf(path: string): string
  /** The current target with links resolved; absolute if it is outside or missing. For approval. */
  targetOf(path: string): string
  /** Throws a PrecisError for paths outside. A missing path is judged by its parents. */
  locate(path: string): Promise<Place>
}

export function openWorkspace({ root, readOnly = false }: WorkspaceOptions): Workspace {
  const given = resolve(root)
  const real = realRoot(given)
  return {
    root: real,
    isReadOnly: readOnly,
    nameOf: (path) => nameIn(isInside(given, resolve(real, path)) ? given : real, path),
    targetOf(path) {
      try {
        return locateIn(given, real, path).name
      } catch (error) {
        if (!PrecisError.is(error)) throw error
        return resolve(real, path) // no pattern allows it, and it is not opened
      }
    },
    async locate(path) {
      return locateIn(given, real, path)
    },
  }
}

/** The same workspace for one call: rejects a path whose target differs from the approved one. */
export function approvedWorkspace(workspace: Workspace, target: string | undefined): Workspace {
  if (target === undefined) return workspace
  return {
    ...workspace,
    async locate(path) {
      const place = await workspace.locate(path)
      if (place.name === target) return place
      throw new PrecisError(
        'invalid-input',
        `${path} now leads to another place than when it was allowed.`,
        {
          hint: 'Something is changing links there; use another path.',
        },
      )
    },
  }
}

function locateIn(given: string, real: string, path: string): Place {
  requirePlain(path)
  const asked = resolve(real, path)
  // Refuse writes outside without a look: the error must not say whether the file exists.
  if (!isInside(real, asked) && !isInside(given, asked)) throw outside(path, real)
  const found = followLinks(asked, path)
  if (!isInside(real, found)) throw outside(path, real)
  return { path: found, name: nameIn(real, found) }
}

export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)
}

function realRoot(root: string): string {
  try {
    const real = realpathSync(root)
    if (statSync(real).isDirectory()) return real
  } catch (error) {
    if (!isErrno(error)) throw error
    throw fileError(error, root)
  }
  throw new PrecisError('invalid-input', `${root} is not a directory.`, {
    where: root,
    hint: 'Name an existing directory as the workspace.',
  })
}

function nameIn(root: string, path: string): string {
  const name = relative(root, resolve(root, path))
  return name === '' ? '.' : name.replaceAll(sep, '/')
}

function requirePlain(path: string): void {
  if (path.includes('\0'))
    throw new PrecisError('invalid-input', 'The path holds a NUL byte.', {
      hint: 'Give the plain path.',
    })
  if (path === '~' || path.startsWith('~/'))
    throw new PrecisError('invalid-input', '`~` is not expanded here.', {
      hint: 'Give a path relative to the workspace.',
    })
}

/** The real path; for a missing one, the real path of its nearest parent plus the rest. */
function followLinks(asked: string, name: string): string {
  const missing: string[] = []
  for (let at = asked; ; at = dirname(at)) {
    try {
      return join(realpathSync(at), ...missing)
    } catch (error) {
      if (!isErrno(error)) throw error
      if (error.code !== 'ENOENT' || at === dirname(at)) throw fileError(error, name)
      if (isThere(at))
        throw new PrecisError('invalid-input', `${name} is a link that leads to nothing.`, {
          hint: 'Use another path.',
        })
      missing.unshift(basename(at))
    }
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

function outside(path: string, root: string): PrecisError {
  return new PrecisError('invalid-input', `${path} is outside the workspace ${root}.`, {
    where: path,
    hint: 'Use a path inside the workspace, relative to it.',
  })
}
