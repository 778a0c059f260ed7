// The platform's folders for settings and data, by the environment of the command.
import { homedir } from 'node:os'
import { posix, resolve, win32 } from 'node:path'

export interface PlatformFolders {
  readonly config: string
  readonly data: string
}

type Environment = Readonly<Record<string, string | undefined>>

const NAME = 'precis'

export function platformFolders(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): PlatformFolders {
  if (platform === 'win32') return windowsFolders(environment)
  const { HOME, XDG_CONFIG_HOME, XDG_DATA_HOME } = environment
  const home = HOME || homedir()
  const library = posix.join(home, 'Library')
  if (platform === 'darwin')
    return {
      config: posix.join(library, 'Preferences', NAME),
      data: posix.join(library, 'Application Support', NAME),
    }
  return {
    config: posix.join(XDG_CONFIG_HOME || posix.join(home, '.config'), NAME),
    data: posix.join(XDG_DATA_HOME || posix.join(home, '.local', 'share'), NAME),
  }
}

function windowsFolders({ USERPROFILE, APPDATA, LOCALAPPDATA }: Environment): PlatformFolders {
  const home = win32.join(USERPROFILE || homedir(), 'AppData')
  return {
    config: win32.join(APPDATA || win32.join(home, 'Roaming'), NAME, 'Config'),
    data: win32.join(LOCALAPPDATA || win32.join(home, 'Local'), NAME, 'Data'),
  }
}

/** The data directory of précis; it may not exist. */
export function stateFolderPath(where: {
  readonly cwd: string
  readonly environment: Environment
}): string {
  const { PRECIS_HOME } = where.environment
  return PRECIS_HOME ? resolve(where.cwd, PRECIS_HOME) : platformFolders(where.environment).data
}
