// The command as people can type it here, for hints and examples.
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { basename, delimiter, join, relative } from 'node:path'
import { quoted } from './terminal/terminal.ts'

/** How a process was started. */
export interface Start {
  readonly script: string // the file that Node was given
  readonly cwd: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The Node that runs it. */
  readonly node?: string
}

const NAME = 'precis'

export function programName(start: Start): string {
  const { script, environment } = start
  const { npm_lifecycle_event: event } = environment
  const isFile = basename(script) === `${NAME}.js`
  // Under npm, npx finds the command, in a checkout or among a project's packages.
  if (event !== undefined && (event !== 'npx' || !isFile)) return `npx ${NAME}`
  if (!isFile || isOnPath(environment.PATH)) return NAME
  const node = event === 'npx' ? 'npx node' : ownNode(start)
  return `${node} ${quoted(nearPath(script, start.cwd))}`
}

/** With its path if plain `node` starts another version, perhaps too old. */
function ownNode({ node, cwd, environment: { PATH = '' } }: Start): string {
  if (node === undefined) return 'node'
  const found = PATH.split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, 'node'))
    .find((file) => existsSync(file))
  const isFound = found !== undefined && realpathSync(found) === realpathSync(node)
  return isFound ? 'node' : quoted(nearPath(node, cwd))
}

/** Rewrites précis commands in a text so that they can be typed here. Applying it twice changes nothing. */
export function asTyped(text: string, program: string): string {
  return text.replace(COMMANDS, program)
}

/** Not taken from the command table, which imports the commands, which import this. */
const COMMANDS =
  /(?<!npx )\bprecis(?= (?:--help|compact|inspect|import|export|threads|diff|undo|redo|fork|pins|recall|show|chat|serve|token|send|check|store|config|doctor|completion|start|edl|dev-model|sessions|sync|install|uninstall|handoff|mcp|hook|exam)\b)/g

function isOnPath(path = ''): boolean {
  return path.split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, NAME)))
}

/** As short as it can be typed from here. */
export function nearPath(file: string, cwd: string): string {
  const near = relative(cwd, file)
  return near.startsWith('..') ? file : near
}

/** The version of this package, as its manifest has it. */
export function version(): string {
  const manifest = new URL('../../package.json', import.meta.url)
  const { version: number }: { version: string } = JSON.parse(readFileSync(manifest, 'utf8'))
  return number
}
