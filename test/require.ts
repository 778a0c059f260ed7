// Programs and rights that some tests need and a machine may lack: there those tests are skipped and
// counted. PRECIS_REQUIRE=tmux,tmpfs names those whose absence fails instead.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Recorded sessions of other agents, which are not part of the project. */
export const CORPUS =
  process.env.PRECIS_CORPUS ?? fileURLToPath(new URL('../../shared/corpus', import.meta.url))

const PROBES = {
  postgres: () => onPath('initdb') || debianPostgres(),
  chromium: () => onPath('chromium'),
  tmux: () => onPath('tmux'),
  ripgrep: () => onPath('rg'),
  zsh: () => onPath('zsh'),
  fish: () => onPath('fish'),
  tmpfs: canMount,
  'other-user': () => isRoot() && succeeds('runuser', ['-u', 'nobody', '--', 'true']),
  corpus: () => existsSync(CORPUS),
} as const satisfies Record<string, () => boolean>

export type ProgramName = keyof typeof PROBES

export interface Requirement {
  readonly available: boolean
  /** For the title of a skipped suite: what is missing. */
  readonly notice: string
}

/** For `describe.skipIf(!requirement('tmux').available)`; throws where it is required and missing. */
export function requirement(name: ProgramName): Requirement {
  const available = hasProgram(name)
  if (!available && requiredNames().includes(name)) {
    throw new Error(`${name} is required by PRECIS_REQUIRE and is not on this machine`)
  }
  return { available, notice: available ? '' : `${name} is not on this machine` }
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

function isRoot(): boolean {
  return process.getuid?.() === 0
}

function succeeds(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}
