// Paths as text: joined, normalised, relative to the work's root.

/** Real paths are not longer. */
export const LONGEST_PATH_CHARS = 1_024

/** Resolves a path against a folder; both may be absolute. `~` stays as written. */
export function resolvePath(folder: string, path: string): string {
  return normalPath(isAbsolute(path) || folder === '' ? path : `${folder}/${path}`)
}

export function isAbsolute(path: string): boolean {
  return path.startsWith('/') || path.startsWith('~') || /^[A-Za-z]:[\\/]/.test(path)
}

/** Without `.`, `..` and double slashes; the folder itself is the empty path. */
export function normalPath(path: string): string {
  const slashed = /^[A-Za-z]:\\/.test(path) ? path.replaceAll('\\', '/') : path
  const parts: string[] = []
  for (const part of slashed.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else parts.push(part)
  }
  return `${slashed.startsWith('/') ? '/' : ''}${parts.join('/')}`
}

/** Relative to the root if below it, otherwise unchanged. */
export function fromRoot(root: string | undefined, path: string): string {
  if (root === undefined || root === '') return path
  if (path === root) return ''
  return isBelow(path, root) ? path.slice(root === '/' ? 1 : root.length + 1) : path
}

/** In the folder or deeper; all relative paths are below the empty path. */
export function isBelow(path: string, folder: string): boolean {
  if (folder === '') return !isAbsolute(path) && !path.startsWith('..')
  return path.startsWith(folder === '/' ? '/' : `${folder}/`)
}

export function readFolder(path: string): string {
  const end = path.lastIndexOf('/')
  return end <= 0 ? path.slice(0, end + 1) : path.slice(0, end)
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder === '/' ? '' : folder}/${name}`
}
