// Runs the tests of the real agents with their newest versions, and says what changed.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installPinned } from './install-pinned.ts'
import { AGENT_NAMES, type AgentName, type Pinned, VERSIONS } from './installed.ts'

const ROOT = new URL('../..', import.meta.url)

function newestOf(name: AgentName): Pinned {
  const pinned = VERSIONS[name]
  const args = ['view', pinned.package, 'version']
  const { stdout, status } = spawnSync('npm', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm knows no version of ${pinned.package}`)
  return { ...pinned, version: stdout.trim() }
}

/** The tests passed, but not with the newest version of each agent. */
const STOOD_IN = 2

/** A newest version whose dependencies are not published yet gives way to the pinned one: then the run is no success. */
function installed(name: AgentName): Pinned {
  const pinned = VERSIONS[name]
  const newest = newestOf(name)
  const isPinned = newest.version === pinned.version
  console.log(`${name}: ${pinned.version}${isPinned ? ', the newest' : ` → ${newest.version}`}`)
  try {
    installPinned(name, newest)
    return newest
  } catch (thrown) {
    if (isPinned) throw thrown
    console.log(
      `${name} ${newest.version} cannot be installed; ${pinned.version} is tried.\n${thrown}`,
    )
    installPinned(name, pinned)
    stoodIn.push(name)
    return pinned
  }
}

const stoodIn: AgentName[] = []
const newest = AGENT_NAMES.map((name) => [name, installed(name)] as const)
const folder = mkdtempSync(join(tmpdir(), 'precis-newest-'))
try {
  const file = join(folder, 'versions.json')
  writeFileSync(file, JSON.stringify(Object.fromEntries(newest)))
  const env = { ...process.env, PRECIS_AGENT_VERSIONS: file, PRECIS_REQUIRE: 'agents' }
  const args = ['vitest', 'run', 'test/agents']
  const status = spawnSync('npx', args, { cwd: ROOT, env, stdio: 'inherit' }).status ?? 1
  if (stoodIn.length > 0) console.log(`Not tried with its newest version: ${stoodIn.join(', ')}.`)
  process.exitCode = status === 0 && stoodIn.length > 0 ? STOOD_IN : status
} finally {
  rmSync(folder, { recursive: true, force: true })
}
