// Folders that belong to this user alone. Plain JavaScript: the command needs it before anything else.
import { chmodSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'

const WRITABLE_BY_OTHERS = 0o022
const STICKY = 0o1000

/**
 * Where compiled code is kept: the user's own cache folder, made for its owner alone. Undefined where
 * another user owns it, may write to it or may replace it: cached code is run without a question.
 */
export function compileCacheFolder(environment = process.env) {
  try {
    const folder = join(cacheHome(environment), 'precis', 'compiled')
    const made = mkdirSync(folder, { recursive: true, mode: 0o700 })
    // The umask may have taken bits of the owner away.
    if (made !== undefined) chmodSync(folder, 0o700)
    const above = dirname(folder)
    return isOurs(folder) && areSafe(above) && areSafe(realpathSync(above)) ? folder : undefined
  } catch {
    return undefined // no home, a file in the way, a read-only disk: it starts without a cache
  }
}

function cacheHome({ XDG_CACHE_HOME, LOCALAPPDATA }) {
  if (XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME)) return XDG_CACHE_HOME
  if (process.platform === 'win32') return LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local')
  return process.platform === 'darwin'
    ? join(homedir(), 'Library', 'Caches')
    : join(homedir(), '.cache')
}

/** A real folder of this user that no other user can write to. Windows has no such modes. */
function isOurs(folder) {
  const stats = lstatSync(folder)
  if (!stats.isDirectory()) return false
  if (process.getuid === undefined) return true
  return stats.uid === process.getuid() && (stats.mode & WRITABLE_BY_OTHERS) === 0
}

/** A user with write access above could replace the folder; the sticky bit prevents that. */
function areSafe(folder) {
  if (process.getuid === undefined) return true
  for (let at = resolve(folder); ; at = dirname(at)) {
    const { uid, mode } = statSync(at)
    // A link has an owner of its own.
    for (const owner of [uid, lstatSync(at).uid])
      if (owner !== 0 && owner !== process.getuid()) return false
    if ((mode & WRITABLE_BY_OTHERS) !== 0 && (mode & STICKY) === 0) return false
    if (dirname(at) === at) return true
  }
}
