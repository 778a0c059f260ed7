// Runs the tests of the real agents with their newest versions, and says what changed.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AGENT_NAMES, type Pinned, VERSIONS } from './installed.ts'

const ROOT = new URL('../..', import.meta.url)

const newest = AGENT_NAMES.map((name): [string, Pinned] => {
  const args = ['view', VERSIONS[name].package, 'version']
  const { stdout, status } = spawnSync('npm', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm knows no version of ${VERSIONS[name].package}`)
  return [name, { ...VERSIONS[name], version: stdout.trim() }]
})
for (const name of AGENT_NAMES) {
  const { version } = VERSIONS[name]
  const latest = newest.find(([each]) => each === name)?.[1].version
  console.log(`${name}: ${version}${latest === version ? ', the newest' : ` → ${latest}`}`)
}

const folder = mkdtempSync(join(tmpdir(), 'precis-newest-'))
try {
  const file = join(folder, 'versions.json')
  writeFileSync(file, JSON.stringify(Object.fromEntries(newest)))
  const env = { ...process.env, PRECIS_AGENT_VERSIONS: file, PRECIS_REQUIRE: 'agents' }
  const run = (args: readonly string[]) =>
    spawnSync('npx', args, { cwd: ROOT, env, stdio: 'inherit' }).status ?? 1
  process.exitCode =
    run(['node', 'test/agents/install.ts']) || run(['vitest', 'run', 'test/agents'])
} finally {
  rmSync(folder, { recursive: true, force: true })
}
