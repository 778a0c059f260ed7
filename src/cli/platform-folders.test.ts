// The folders of each platform, by the environment that is handed over and not by that of the process.
import { expect, it } from 'vitest'
import { runPrecis } from '../../test/cli/run.ts'
import { temporaryFolder } from '../../test/server/folder.ts'
import { platformFolders } from '../hosts/platform-folders.ts'

it.each([
  ['linux', { HOME: '/h' }, '/h/.config/precis', '/h/.local/share/precis'],
  ['linux', { HOME: '/h', XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d' }, '/c/precis', '/d/precis'],
  [
    'darwin',
    { HOME: '/h' },
    '/h/Library/Preferences/precis',
    '/h/Library/Application Support/precis',
  ],
  [
    'win32',
    { USERPROFILE: 'C:\\h' },
    'C:\\h\\AppData\\Roaming\\precis\\Config',
    'C:\\h\\AppData\\Local\\precis\\Data',
  ],
  [
    'win32',
    { APPDATA: 'C:\\a', LOCALAPPDATA: 'C:\\l' },
    'C:\\a\\precis\\Config',
    'C:\\l\\precis\\Data',
  ],
] as const)('of %s with %j', (platform, environment, config, data) => {
  expect(platformFolders(environment, platform)).toEqual({ config, data })
})

it('of a command are those of the environment it was given', async () => {
  const folder = temporaryFolder()
  const environment = { HOME: folder, PATH: process.env.PATH }
  const { stdout, status } = await runPrecis(['config', '--json'], { cwd: folder, environment })
  expect(status).toBe(0)
  expect(stdout).toContain(folder)
})
