// Installs one pinned package from the npm registry into a folder of its own, unless it is there
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folderOf, type Pinned } from './installed.ts'

export function installPinned(name: string, pinned: Pinned, { scripts = false } = {}): void {
  const folder = folderOf(name, pinned)
  const isThere = existsSync(join(folder, 'node_modules/.bin', pinned.command))
  if (!isThere) install(folder, pinned, scripts)
  console.log(`${name} ${pinned.version}${isThere ? '' : ' (installed)'}`)
}

function install(folder: string, { package: name, version }: Pinned, scripts: boolean): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const args = ['install', '--no-save', '--no-audit', '--no-fund']
  if (!scripts) args.push('--ignore-scripts')
  const { status, stderr } = spawnSync('npm', [...args, `${name}@${version}`], {
    cwd: folder,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`npm could not install ${name}@${version}:\n${stderr}`)
}
