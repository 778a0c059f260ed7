// Installs the pinned agents from the npm registry, each into a folder of its own.
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AGENT_NAMES, folderOf, isInstalled, type Pinned, VERSIONS } from './installed.ts'

for (const name of AGENT_NAMES) {
  const pinned = VERSIONS[name]
  const folder = folderOf(name, pinned)
  const isThere = isInstalled(name)
  if (!isThere) install(folder, pinned)
  console.log(`${name} ${pinned.version}${isThere ? '' : ' (installed)'}`)
}

/** Their own install scripts only copy a program that runs where it is. */
function install(folder: string, { package: name, types, version }: Pinned): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts']
  const packages = [name, ...(types === undefined ? [] : [types])].map(
    (each) => `${each}@${version}`,
  )
  // Of the peers of the types nothing is used.
  const { status, stderr } = spawnSync('npm', [...args, '--legacy-peer-deps', ...packages], {
    cwd: folder,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`npm could not install ${name}@${version}:\n${stderr}`)
}
