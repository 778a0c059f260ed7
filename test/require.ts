// Programs and rights that some tests need and a machine may lack: there those tests are skipped and
// counted. PRECIS_REQUIRE=tmux,tmpfs names those whose absence fails instead. The fast tier leaves
// out what takes long, so that it takes as long on every machine.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { areInstalled } from './agents/installed.ts'
import { hasRuntime } from './package/runtimes.ts'
import { isFastTier } from './scale.ts'

/** Folders with recorded sessions of other agents, which are not part of the project. */
export const CORPUS: readonly string[] = (process.env.PRECIS_CORPUS ?? '')
  .split(delimiter)
  .filter((folder) => folder !== '')

/** Where systems keep their own Node. */
export const SYSTEM_NODE = '/usr/bin/node'

export const NOBODY = 65_534

const PROBES = {
  postgres: () => onPath('initdb') || debianPostgres(),
  chromium: () => onPath('chromium'),
  tmux: () => onPath('tmux'),
  ripgrep: () => onPath('rg'),
  zsh: () => onPath('zsh'),
  fish: () => onPath('fish'),
  bun: () => hasRuntime('bun'),
  deno: () => hasRuntime('deno'),
  workerd: () => hasRuntime('workerd'),
  systemd: () => onPath('systemd-analyze'),
  tmpfs: canMount,
  'other-user': () => isRoot() && succeeds('runuser', ['-u', 'nobody', '--', 'true']),
  'readable-checkout': canOtherRead,
  'old-node': isSystemNodeOld,
  corpus: () => CORPUS.length > 0 && CORPUS.every((folder) => existsSync(folder)),
  agents: areInstalled,
} as const satisfies Record<string, () => boolean>

export type ProgramName = keyof typeof PROBES

/** For `npm run test:all`. */
const SLOW: ReadonlySet<ProgramName> = new Set([
  'postgres',
  'chromium',
  'tmux',
  'corpus',
  'agents',
] as const)

export interface Requirement {
  readonly available: boolean
  /** For the title of a skipped suite: what is missing. */
  readonly notice: string
}

/** For `describe.skipIf(!requirement('tmux').available)`; throws where it is required and missing. */
export function requirement(name: ProgramName): Requirement {
  const isLeftOut = isFastTier && SLOW.has(name)
  const available = !isLeftOut && hasProgram(name)
  if (!available && requiredNames().includes(name)) {
    throw new Error(`${name} is required by PRECIS_REQUIRE and is not on this machine`)
  }
  const reason = isLeftOut ? 'is for npm run test:all' : 'is not on this machine'
  return { available, notice: available ? '' : `${name} ${reason}` }
}

const answers = new Map<ProgramName, boolean>()

export function hasProgram(name: ProgramName): boolean {
  const answer = answers.get(name) ?? PROBES[name]()
  answers.set(name, answer)
  return answer
}

/** A name that is not known is a slip of the pen, which would require nothing. */
function requiredNames(): string[] {
  const names = (process.env.PRECIS_REQUIRE ?? '').split(',').filter((name) => name !== '')
  const unknown = names.find((name) => !Object.hasOwn(PROBES, name))
  if (unknown !== undefined) {
    throw new Error(`PRECIS_REQUIRE names ${unknown}; known are ${Object.keys(PROBES).join(', ')}`)
  }
  return names
}

function onPath(program: string): boolean {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.some((folder) => folder !== '' && existsSync(join(folder, program)))
}

/** Debian keeps the server's programs off the path, in a folder for each version. */
function debianPostgres(): boolean {
  const versions = '/usr/lib/postgresql'
  if (!existsSync(versions)) return false
  return readdirSync(versions).some((version) => existsSync(join(versions, version, 'bin/initdb')))
}

function canMount(): boolean {
  if (!isRoot()) return false
  const folder = mkdtempSync(join(tmpdir(), 'precis-tmpfs-'))
  const mounted = succeeds('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder])
  if (mounted) succeeds('umount', [folder])
  rmdirSync(folder)
  return mounted
}

/** Root is bound by no permission, so that a process of nobody has to run from this checkout. */
function canOtherRead(): boolean {
  if (!isRoot()) return true
  const file = JSON.stringify(fileURLToPath(import.meta.url))
  const reading = ['--eval', `require('node:fs').readFileSync(${file})`]
  return succeeds(process.execPath, reading, { uid: NOBODY, gid: NOBODY })
}

function isSystemNodeOld(): boolean {
  const args = ['--print', 'process.versions.napi']
  const napi = Number(spawnSync(SYSTEM_NODE, args, { encoding: 'utf8' }).stdout)
  return napi > 0 && napi < 10
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

function succeeds(
  command: string,
  args: readonly string[],
  user: { uid?: number; gid?: number } = {},
) {
  return spawnSync(command, args, { stdio: 'ignore', ...user }).status === 0
}
