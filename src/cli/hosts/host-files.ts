// The files of each agent that `precis install` changes: how its own part is put in, found and taken out
import { homedir } from 'node:os'
import { join } from 'node:path'
import { PrecisError } from '../../core/errors.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { Io } from '../process-io.ts'

export const HOSTS = ['claude-code', 'codex', 'opencode', 'pi'] as const
export type HostName = (typeof HOSTS)[number]

export interface HostFile {
  readonly path: string
  /** The file with précis in it; `text` has no part of it, and is undefined where there is no file. */
  add(text: string | undefined): string
  /** The file without it; undefined where nothing else was in it. */
  remove(text: string): string | undefined
}

export interface HostPlace {
  /** How the agent starts précis. */
  readonly command: readonly string[]
  readonly home: string
  /** Only for the project in this directory. */
  readonly project?: string
  readonly environment: Io['environment']
}

export function placeOf(io: Io, script: string, project: string | undefined): HostPlace {
  const { environment } = io
  const home = environment.HOME || environment.USERPROFILE || homedir()
  const command = [io.node ?? 'node', script]
  return { command, home, environment, ...(project !== undefined && { project }) }
}

export function filesOf(host: HostName, place: HostPlace): HostFile[] {
  return FILES[host](place)
}

const FILES: Readonly<Record<HostName, (place: HostPlace) => HostFile[]>> = {
  'claude-code': ({ command, home, project, environment: { CLAUDE_CONFIG_DIR } }) => [
    hooksFile(
      project === undefined
        ? join(CLAUDE_CONFIG_DIR || join(home, '.claude'), 'settings.json')
        : join(project, '.claude', 'settings.local.json'),
      { PreCompact: '', SessionStart: 'compact', SessionEnd: '' },
      hookLine(command, 'claude-code'),
    ),
    entryFile(
      project === undefined
        ? join(CLAUDE_CONFIG_DIR || home, '.claude.json')
        : join(project, '.mcp.json'),
      'mcpServers',
      { type: 'stdio', command: command[0] ?? '', args: [...command.slice(1), 'mcp'] },
    ),
  ],
  codex: ({ command, home, project, environment: { CODEX_HOME } }) => {
    const folder =
      project === undefined ? CODEX_HOME || join(home, '.codex') : join(project, '.codex')
    const line = hookLine(command, 'codex')
    return [
      hooksFile(join(folder, 'hooks.json'), { PreCompact: '', SessionStart: 'compact' }, line),
      blockFile(join(folder, 'config.toml'), [
        '[mcp_servers.precis]',
        `command = ${JSON.stringify(command[0])}`,
        `args = ${JSON.stringify([...command.slice(1), 'mcp'])}`,
      ]),
    ]
  },
  opencode: ({ command, home, project, environment: { XDG_CONFIG_HOME } }) => {
    const config = join(XDG_CONFIG_HOME || join(home, '.config'), 'opencode')
    const folder = project === undefined ? config : join(project, '.opencode')
    return [
      ownFile(join(folder, 'plugin', 'precis.js'), 'opencode', command),
      entryFile(join(project ?? config, 'opencode.json'), 'mcp', {
        type: 'local',
        command: [...command, 'mcp'],
      }),
    ]
  },
  pi: ({ command, home, project, environment: { PI_CODING_AGENT_DIR } }) => {
    const own = PI_CODING_AGENT_DIR || join(home, '.pi', 'agent')
    const folder = project === undefined ? own : join(project, '.pi')
    return [ownFile(join(folder, 'extensions', 'precis.js'), 'pi', command)]
  },
}

function hookLine(command: readonly string[], host: HostName): string {
  return `${command.map((word) => `"${word}"`).join(' ')} hook ${host}`
}

const HOOK_SECONDS = 60
const OWN_HOOK = /\bprecis(?:\.js)?" hook [\w-]+$/

/** A JSON file with lists of hooks by event: Claude Code's and Codex's have the same shape. */
function hooksFile(
  path: string,
  events: Readonly<Record<string, string>>,
  command: string,
): HostFile {
  return {
    path,
    add: (text) =>
      edited(text, path, (root) => {
        const hooks = { ...fieldsAt(root, 'hooks', path) }
        for (const [event, matcher] of Object.entries(events)) {
          const hook = { type: 'command', command, timeout: HOOK_SECONDS }
          const known = hooks[event]
          const list = Array.isArray(known) ? known : []
          hooks[event] = [...list, { ...(matcher !== '' && { matcher }), hooks: [hook] }]
        }
        return { ...root, hooks }
      }),
    remove: (text) =>
      pruned(text, path, (root) => {
        const hooks: [string, Json][] = []
        for (const [event, list] of Object.entries(fieldsAt(root, 'hooks', path))) {
          const left = Array.isArray(list) ? list.filter((group) => !isOwnGroup(group)) : list
          const isEmptied = Array.isArray(left) && left.length === 0 && left !== list
          if (!isEmptied || (Array.isArray(list) && list.length === 0)) hooks.push([event, left])
        }
        const { hooks: _, ...rest } = root
        return hooks.length === 0 ? rest : { ...root, hooks: Object.fromEntries(hooks) }
      }),
  }
}

function isOwnGroup(group: Json): boolean {
  if (!isFields(group) || !Array.isArray(group.hooks)) return false
  return group.hooks.some(
    (hook) => isFields(hook) && typeof hook.command === 'string' && OWN_HOOK.test(hook.command),
  )
}

const ENTRY = 'precis'

/** A JSON file with one entry of ours in an object. */
function entryFile(path: string, field: string, value: Json): HostFile {
  return {
    path,
    add: (text) =>
      edited(text, path, (root) => ({
        ...root,
        [field]: { ...fieldsAt(root, field, path), [ENTRY]: value },
      })),
    remove: (text) =>
      pruned(text, path, (root) => {
        const { [ENTRY]: own, ...others } = fieldsAt(root, field, path)
        const { [field]: _, ...rest } = root
        if (own === undefined) return root
        return Object.keys(others).length === 0 ? rest : { ...root, [field]: others }
      }),
  }
}

const [BEGIN, END] = ['# >>> precis', '# <<< precis']

/** Lines of ours at the end of a file of any other syntax, between two comments. */
function blockFile(path: string, lines: readonly string[]): HostFile {
  const block = `${[BEGIN, ...lines, END].join('\n')}\n`
  return {
    path,
    add: (text = '') => `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${block}`,
    remove: (text) => {
      const [start, end] = [text.indexOf(`${BEGIN}\n`), text.indexOf(`${END}\n`)]
      if (start < 0 || end < start) return text
      return `${text.slice(0, start)}${text.slice(end + END.length + 1)}` || undefined
    },
  }
}

/** A file that is all ours: it loads the plug-in of this package and says how précis is started. */
function ownFile(path: string, host: 'opencode' | 'pi', command: readonly string[]): HostFile {
  const script = command.at(-1) ?? ''
  const plugin = new URL(`../../hosts/${host}.js`, import.meta.url).pathname
  const module = plugin.includes('/dist/') ? plugin : plugin.replace(/\.js$/, '.ts')
  const mark = `// Written by \`precis install ${host}\`; \`precis uninstall ${host}\` removes it.\n`
  const text = `${mark}import { plugin } from ${JSON.stringify(module)}
export default plugin(${JSON.stringify([...command.slice(0, -1), script])})
`
  return {
    path,
    add(there) {
      if (there === undefined) return text
      throw new PrecisError('invalid-input', `${path} is there, and précis did not write it`, {
        where: path,
        hint: 'Nothing was changed. Move the file away first.',
      })
    },
    remove: (there) => (there.startsWith(mark) ? undefined : there),
  }
}

function edited(text: string | undefined, path: string, edit: (root: Fields) => Json): string {
  const root = text === undefined || text.trim() === '' ? {} : parsed(text, path)
  const indent = /\n([ \t]+)"/.exec(text ?? '')?.[1] ?? '  '
  return `${JSON.stringify(edit(root), null, indent)}${text === undefined || text.endsWith('\n') ? '\n' : ''}`
}

function pruned(text: string, path: string, edit: (root: Fields) => Fields): string | undefined {
  const root = parsed(text, path)
  const left = edit(root)
  if (JSON.stringify(left) === JSON.stringify(root)) return text
  return Object.keys(left).length === 0 ? undefined : edited(text, path, () => left)
}

function parsed(text: string, path: string): Fields {
  try {
    const value: unknown = JSON.parse(text)
    if (isFields(value as Json)) return value as Fields
  } catch {
    // Said below, with the place.
  }
  throw new PrecisError('invalid-input', `${path} is not a JSON object`, {
    where: path,
    hint: 'Nothing was changed. Mend the file, or add précis to it by hand (docs/use-with-agents.md).',
  })
}

function fieldsAt(root: Fields, name: string, path: string): Fields {
  const value = root[name]
  if (value === undefined) return {}
  if (isFields(value)) return value
  throw new PrecisError('invalid-input', `\`${name}\` in ${path} is not an object`, { where: path })
}
