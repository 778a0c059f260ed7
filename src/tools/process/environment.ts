// The environment of what tools start: names from a list, and a PATH that leads nowhere into the checkout.
import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path'
import { matchesText } from '../../core/text/patterns.ts'
import { isInside } from '../workspace.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** What programs need to work at all, and what says where things are. None of them holds a secret. */
const PASSED: readonly string[] = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'HOSTNAME', 'PWD'],
  ...['LANG', 'LANGUAGE', 'LC_*', 'TZ', 'TMPDIR', 'TMP', 'TEMP', 'CI'],
  ...['XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR'],
  ...['JAVA_HOME', 'GOPATH', 'GOROOT', 'CARGO_HOME', 'RUSTUP_HOME', 'NVM_DIR', 'PYENV_ROOT'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'],
  // Windows
  ...['SystemRoot', 'SystemDrive', 'PATHEXT', 'COMSPEC', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'],
]

/** How providers' keys are named: a pattern with a star does not mean them. */
const PROVIDER_KEY = /_API_KEY$|^ANTHROPIC_AUTH_TOKEN$/i

/** Nobody is there to turn pages or to answer, and colours are noise. */
const FOR_NO_TERMINAL: Environment = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
}

export interface EnvironmentOptions {
  /** Further names to pass; `*` stands for anything. `PATH` passes it as it is. */
  readonly passed?: readonly string[]
  /** Names that no pattern with a star means: those of the providers' keys. */
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

/** Without relative entries and without what lies in the checkout: it chooses no programs. */
export function safePath(path = '', root: string): string {
  const checkout = checkoutOf(root)
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !isInside(checkout, realPath(folder)))
    .filter((folder) => !isOfParent(folder, root))
    .join(delimiter)
}

/** The repository around the workspace, or the workspace. A repository that holds a home is no checkout. */
export function checkoutOf(root: string): string {
  for (let at = root; ; at = dirname(at)) {
    if (isInside(at, realPath(homedir())) || at === dirname(at)) return root
    if (existsSync(join(at, '.git'))) return at
  }
}

/** `npx` puts `node_modules/.bin` of the folder and of all its parents on the PATH. */
function isOfParent(folder: string, root: string): boolean {
  const modules = dirname(folder)
  const isBin = basename(folder) === '.bin' && basename(modules) === 'node_modules'
  return isBin && isInside(realPath(dirname(modules)), root)
}

export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path // not there: nothing is found in it
  }
}
