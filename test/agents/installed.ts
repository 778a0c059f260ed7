// Where the real agents are: each version in a folder of its own, outside of the project's dependencies.
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

export interface Pinned {
  readonly package: string
  readonly version: string
  readonly command: string
  /** The package of the same version that declares the API of its plug-ins, where that is another one. */
  readonly types?: string
}

export type AgentName = 'claude-code' | 'codex' | 'opencode' | 'pi'

/** The one place where versions stand. `PRECIS_AGENT_VERSIONS` names another file of the same shape. */
export const VERSIONS: Readonly<Record<AgentName, Pinned>> = JSON.parse(
  readFileSync(
    process.env.PRECIS_AGENT_VERSIONS ?? new URL('./versions.json', import.meta.url),
    'utf8',
  ),
)

export const AGENT_NAMES = Object.keys(VERSIONS) as AgentName[]

/** `PRECIS_AGENTS` names another folder. */
export function folderOf(name: string, { version }: Pick<Pinned, 'version'>): string {
  const cache = process.env.PRECIS_AGENTS ?? join(homedir(), '.cache/precis-agents')
  return join(cache, `${name}-${version}`)
}

export function programOf(name: AgentName): string {
  const pinned = VERSIONS[name]
  return join(folderOf(name, pinned), 'node_modules/.bin', pinned.command)
}

/** Written at the end of an installation: one that was stopped half way is done again. */
export const INSTALLED = 'installed'

export function isComplete(name: string, pinned: Pick<Pinned, 'version'>): boolean {
  return existsSync(join(folderOf(name, pinned), INSTALLED))
}

export function areInstalled(): boolean {
  return AGENT_NAMES.every((name) => isComplete(name, VERSIONS[name]))
}
