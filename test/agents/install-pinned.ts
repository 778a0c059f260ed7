// Installs one pinned package from the npm registry into a folder of its own, unless it is there
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folderOf, type Pinned } from './installed.ts'

export function installPinned(name: string, pinned: Pinned, { scripts = false } = {}): void {
  const folder = folderOf(name, pinned)
  const needed = [join('.bin', pinned.command), pinned.types ?? '']
  const isThere = needed.every((path) => existsSync(join(folder, 'node_modules', path)))
  if (!isThere) install(folder, pinned, scripts)
  console.log(`${name} ${pinned.version}${isThere ? '' : ' (installed)'}`)
}

function install(folder: string, pinned: Pinned, scripts: boolean): void {
  const { package: name, types = [], version } = pinned
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  // Of the peers of the types nothing is used.
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--legacy-peer-deps']
  if (!scripts) args.push('--ignore-scripts')
  const packages = [name, types].flat().map((each) => `${each}@${version}`)
  const { status, stderr } = spawnSync('npm', [...args, ...packages], {
    cwd: folder,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`npm could not install ${name}@${version}:\n${stderr}`)
}
