// Finds the agents on this machine by their folders, or by their program on the path.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { HostName } from './host-file.ts'
import type { HostPlace } from './host-files.ts'

/** Its program, and its folders for the user and in a project. */
const TRACES: Readonly<
  Record<HostName, (place: HostPlace) => { program: string; own: string[]; project: string }>
> = {
  'claude-code': ({ home, environment: { CLAUDE_CONFIG_DIR } }) => ({
    program: 'claude',
    own: CLAUDE_CONFIG_DIR
      ? [CLAUDE_CONFIG_DIR]
      : [join(home, '.claude'), join(home, '.claude.json')],
    project: '.claude',
  }),
  codex: ({ home, environment: { CODEX_HOME } }) => ({
    program: 'codex',
    own: [CODEX_HOME || join(home, '.codex')],
    project: '.codex',
  }),
  opencode: ({ home, environment: { XDG_CONFIG_HOME, XDG_DATA_HOME } }) => ({
    program: 'opencode',
    own: [
      join(XDG_CONFIG_HOME || join(home, '.config'), 'opencode'),
      join(XDG_DATA_HOME || join(home, '.local', 'share'), 'opencode'),
    ],
    project: '.opencode',
  }),
  pi: ({ home, environment: { PI_CODING_AGENT_DIR } }) => ({
    program: 'pi',
    own: [PI_CODING_AGENT_DIR || join(home, '.pi')],
    project: '.pi',
  }),
}

const ENDINGS = process.platform === 'win32' ? ['.exe', '.cmd', '.ps1', ''] : ['']

export function isOnMachine(host: HostName, place: HostPlace): boolean {
  const { program, own, project } = TRACES[host](place)
  const inProject = place.project === undefined ? [] : [join(place.project, project)]
  const folders = (place.environment.PATH ?? '').split(delimiter).filter(Boolean)
  const programs = folders.flatMap((folder) => ENDINGS.map((end) => join(folder, program + end)))
  return [...own, ...inProject, ...programs].some((path) => existsSync(path))
}
