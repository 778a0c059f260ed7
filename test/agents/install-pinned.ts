// Installs one pinned package from the npm registry into a folder of its own, unless it is there
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folderOf, INSTALLED, isComplete, type Pinned } from './installed.ts'

/** The scripts of the package run, those of its dependencies do not: some put the program in its place. */
export function installPinned(name: string, pinned: Pinned): void {
  const isThere = isComplete(name, pinned)
  if (!isThere) install(folderOf(name, pinned), pinned)
  console.log(`${name} ${pinned.version}${isThere ? '' : ' (installed)'}`)
}

function install(folder: string, pinned: Pinned): void {
  const { package: name, types = [], version } = pinned
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const packages = [name, types].flat().map((each) => `${each}@${version}`)
  // Of the peers of the types nothing is used.
  const options = ['--no-save', '--no-audit', '--no-fund', '--legacy-peer-deps', '--ignore-scripts']
  npm(folder, ['install', ...options, ...packages])
  npm(folder, ['rebuild', '--no-audit', '--no-fund', name])
  writeFileSync(join(folder, INSTALLED), '')
}

function npm(folder: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${stderr}`)
}
