// The environment of started programs: listed variables, and a PATH without the checkout.
import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path'
import { matchesText } from '../../core/text/patterns.ts'
import { isInside } from '../workspace.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** What programs need to work, and where things are. None is a secret. */
const PASSED: readonly string[] = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'HOSTNAME', 'PWD'],
  ...['LANG', 'LANGUAGE', 'LC_*', 'TZ', 'TMPDIR', 'TMP', 'TEMP', 'CI'],
  ...['XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR'],
  ...['JAVA_HOME', 'GOPATH', 'GOROOT', 'CARGO_HOME', 'RUSTUP_HOME', 'NVM_DIR', 'PYENV_ROOT'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'],
  // Windows
  ...['SystemRoot', 'SystemDrive', 'PATHEXT', 'COMSPEC', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'],
]

/** Names of provider keys: patterns with a star do not match them. */
const PROVIDER_KEY = /_API_KEY$|^ANTHROPIC_AUTH_TOKEN$/i

/** No pager, no prompts, no colours: the output is not a terminal. */
const FOR_NO_TERMINAL: Environment = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
}

export interface EnvironmentOptions {
  /** More names to pass; `*` is a wildcard. `PATH` passes it unchanged. */
  readonly passed?: readonly string[]
  /** Names no wildcard matches: those of provider keys. */
  readonly hidden?: readonly string[]
}

export function commandEnvironment(
  environment: Environment,
  root: string,
  { passed = [], hidden = [] }: EnvironmentOptions = {},
): Record<string, string | undefined> {
  const isPassed = (name: string) => {
    if (PASSED.some((known) => matchesText(known, name)) || passed.includes(name)) return true
    if (PROVIDER_KEY.test(name) || hidden.includes(name)) return false
    return passed.some((pattern) => matchesText(pattern, name))
  }
  const kept = Object.entries(environment)
    .filter(([name]) => isPassed(name))
    .map(([name, value]) => {
      const isOurs = name.toUpperCase() === 'PATH' && !passed.includes('PATH')
      return [name, isOurs ? safePath(value, root) : value]
    })
  return { ...Object.fromEntries(kept), ...FOR_NO_TERMINAL }
}

/** Without relative entries and folders in the checkout, which must not choose programs. */
export function safePath(path = '', root: string): string {
  const checkout = findCheckout(root)
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !isInside(checkout, realPath(folder)))
    .filter((folder) => !isOfParent(folder, root))
    .join(delimiter)
}

/** The repository around the workspace, or the workspace. A home directory's repository does not count. */
export function findCheckout(root: string): string {
  for (let at = root; ; at = dirname(at)) {
    if (isInside(at, realPath(homedir())) || at === dirname(at)) return root
    if (existsSync(join(at, '.git'))) return at
  }
}

/** `npx` puts `node_modules/.bin` of the folder and all its parents on the PATH. */
function isOfParent(folder: string, root: string): boolean {
  const modules = dirname(folder)
  const isBin = basename(folder) === '.bin' && basename(modules) === 'node_modules'
  return isBin && isInside(realPath(dirname(modules)), root)
}

export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path // missing: it contains nothing
  }
}
