// Whether a path belongs to git itself: what is written there, the next git command may run
import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isInside, type Place } from '../workspace.ts'

/** Signs that some file systems leave out of names. */
const IGNORED = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff]/g
/** Blanks and dots at the end, streams, and the short name mean the same folder to other systems. */
const GIT = /^(?:\.git|git~\d+)[. ]*(?::.*)?$/i

/** By its name in any spelling, or because a folder above it is a repository's own under another name. */
export function isOfGit(root: string, { path, name }: Place): boolean {
  const parts = name.normalize('NFKC').replaceAll(IGNORED, '').split(/[/\\]/)
  return parts.some((part) => GIT.test(part)) || isInRepository(root, dirname(path))
}

/** `git init --separate-git-dir`, a bare repository, a worktree's: each has these beside its hooks. */
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
