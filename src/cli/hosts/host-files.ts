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
  /** People write such a part by hand as well: what a first install finds may be theirs. */
  readonly isHandMade?: true
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
      tableFile(join(folder, 'config.toml'), [
        `command = ${JSON.stringify(command[0])}`,
        `args = ${JSON.stringify([...command.slice(1), 'mcp'])}`,
      ]),
    ]
  },
  opencode: ({ command, home, project, environment: { XDG_CONFIG_HOME } }) => {
    const config = join(XDG_CONFIG_HOME || join(home, '.config'), 'opencode')
    const folder = project === undefined ? config : join(project, '.opencode')
    const local = { type: 'local', command: [...command, 'mcp'] }
    return [
      ownFile(join(folder, 'plugin', 'precis.js'), 'opencode', command),
      // OpenCode adds a schema to a file that has none, and the file would not be as it was written.
      entryFile(join(project ?? config, 'opencode.json'), 'mcp', local, { $schema: SCHEMA }),
    ]
  },
  pi: ({ command, home, project, environment: { PI_CODING_AGENT_DIR } }) => {
    const own = PI_CODING_AGENT_DIR || join(home, '.pi', 'agent')
    const folder = project === undefined ? own : join(project, '.pi')
    return [ownFile(join(folder, 'extensions', 'precis.js'), 'pi', command)]
  },
}

const SCHEMA = 'https://opencode.ai/config.json'

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
          const left = Array.isArray(list) ? list.flatMap(withoutOwnHooks) : list
          const isEmptied = Array.isArray(list) && Array.isArray(left) && left.length === 0
          if (!isEmptied || list.length === 0) hooks.push([event, left])
        }
        const { hooks: _, ...rest } = root
        return hooks.length === 0 ? rest : { ...root, hooks: Object.fromEntries(hooks) }
      }),
  }
}

/** Hooks of others may stand in the same group. */
function withoutOwnHooks(group: Json): Json[] {
  if (!isFields(group) || !Array.isArray(group.hooks)) return [group]
  const left = group.hooks.filter((hook) => !isOwnHook(hook))
  if (left.length === group.hooks.length) return [group]
  return left.length === 0 ? [] : [{ ...group, hooks: left }]
}

function isOwnHook(hook: Json): boolean {
  return isFields(hook) && typeof hook.command === 'string' && OWN_HOOK.test(hook.command)
}

const ENTRY = 'precis'
const OWN_SCRIPT = /[/\\]precis(?:\.js)?$/

/** As `install` writes them: the path of the script, and `mcp`. */
function areOwnArguments(words: readonly Json[]): boolean {
  const script = words.at(-2)
  return words.at(-1) === 'mcp' && typeof script === 'string' && OWN_SCRIPT.test(script)
}

function isOwnEntry(entry: Json): boolean {
  if (!isFields(entry)) return false
  const { command, args } = entry
  if (Array.isArray(command)) return areOwnArguments(command.slice(1))
  return Array.isArray(args) && areOwnArguments(args)
}

function entryOfOthers(path: string): PrecisError {
  const sentence = `${path} has an MCP server ${ENTRY} that précis did not write`
  return refusal(path, sentence, 'Remove that entry or give it another name first.')
}

/** A JSON file with one entry of ours in an object, and what the agent wants to stand in it. */
function entryFile(path: string, field: string, value: Json, wanted: Fields = {}): HostFile {
  return {
    path,
    isHandMade: true,
    add: (text) =>
      edited(text, path, (root) => {
        const entries = fieldsAt(root, field, path)
        if (entries[ENTRY] !== undefined) throw entryOfOthers(path)
        return { ...wanted, ...root, [field]: { ...entries, [ENTRY]: value } }
      }),
    remove: (text) =>
      pruned(text, path, (root) => {
        const { [ENTRY]: own, ...others } = fieldsAt(root, field, path)
        const { [field]: _, ...rest } = root
        if (own === undefined || !isOwnEntry(own)) return root
        return Object.keys(others).length === 0 ? rest : { ...root, [field]: others }
      }),
  }
}

const [BEGIN, END] = ['# >>> precis', '# <<< precis']
const SERVERS = 'mcp_servers'
const TABLE = `${SERVERS}.${ENTRY}`

/** A TOML file with a table of ours. Codex writes the file again and moves comments: the table tells whose it is. */
function tableFile(path: string, lines: readonly string[]): HostFile {
  const block = `${[BEGIN, `[${TABLE}]`, ...lines, END].join('\n')}\n`
  return {
    path,
    isHandMade: true,
    add: (text = '') => {
      if (hasEntry(text)) throw entryOfOthers(path)
      return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${block}`
    },
    remove: (text) => {
      const tables = tablesIn(text)
      const main = tables.filter(({ name }) => name === TABLE)
      const own = new Set(main.filter(({ part }) => areOwnArguments(argumentsIn(part))))
      const isAll = own.size > 0 && own.size === main.length
      const left = tables.map((table) => {
        const isOwn = own.has(table) || (isAll && table.name.startsWith(`${TABLE}.`))
        return isOwn ? behind(table.part) : table.part
      })
      const rest = left.join('').replaceAll(OWN_COMMENT, '')
      return rest !== text && rest.trim() === '' ? undefined : rest
    },
  }
}

const OWN_COMMENT = new RegExp(`^(?:${BEGIN}|${END})[ \\t]*\\r?(?:\\n|$)`, 'gm')
const BEFORE_TABLE = /^(?=[ \t]*\[{1,2}[^[\]\n]+\]{1,2}[ \t]*(?:#.*)?\r?$)/m

/** The text, cut before each line that begins a table. */
function tablesIn(text: string): { readonly name: string; readonly part: string }[] {
  return text.split(BEFORE_TABLE).map((part) => {
    return { name: plainKey(/^\s*\[+([^\]]*)/.exec(part)?.[1] ?? ''), part }
  })
}

/** `a . "b"` is `a.b`. */
function plainKey(key: string): string {
  return key.replaceAll(/[\s"']/g, '')
}

/** Comments before the next table are about that one. */
function behind(part: string): string {
  const lines = part.split(/(?<=\n)/)
  return lines.slice(lines.findLastIndex((line) => !/^\s*(?:#|$)/.test(line)) + 1).join('')
}

/** The list `args` of a table. */
function argumentsIn(part: string): string[] {
  const list = /^[ \t]*args\s*=\s*\[([\s\S]*?)\][ \t]*(?:#.*)?\r?$/m.exec(part)?.[1] ?? ''
  const words = list.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'/g)
  return [...words].flatMap(([, double, single]) => double ?? single ?? [])
}

/** Whether it is there, as a table or in one of the other ways that TOML has to write it. */
function hasEntry(text: string): boolean {
  return tablesIn(text).some(({ name, part }) => {
    const keys = [...part.matchAll(/^[ \t]*([^=#[\n]+)=/gm)].map(([, key = '']) => plainKey(key))
    const all = [name, ...keys.map((key) => (name === '' ? key : `${name}.${key}`))]
    return all.some((key) => `${key}.`.startsWith(`${TABLE}.`) || (name === '' && key === SERVERS))
  })
}

/** A file that is all ours: it loads the plug-in of this package and says how précis is started. */
function ownFile(path: string, host: 'opencode' | 'pi', command: readonly string[]): HostFile {
  const plugin = new URL(`../../hosts/${host}.js`, import.meta.url).pathname
  const module = plugin.includes('/dist/') ? plugin : plugin.replace(/\.js$/, '.ts')
  const mark = `// Written by \`precis install ${host}\`; \`precis uninstall ${host}\` removes it.\n`
  const text = `${mark}import { plugin } from ${JSON.stringify(module)}
export default plugin(${JSON.stringify(command)})
`
  return {
    path,
    add(there) {
      if (there === undefined) return text
      throw refusal(path, `${path} is there, and précis did not write it`, 'Move it away first.')
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
  const hint = 'Mend the file, or add précis to it by hand (docs/use-with-agents.md).'
  throw refusal(path, `${path} is not a JSON object`, hint)
}

function refusal(where: string, sentence: string, hint: string): PrecisError {
  return new PrecisError('invalid-input', sentence, { where, hint: `Nothing was changed. ${hint}` })
}

function fieldsAt(root: Fields, name: string, path: string): Fields {
  const value = root[name]
  if (value === undefined) return {}
  if (isFields(value)) return value
  throw new PrecisError('invalid-input', `\`${name}\` in ${path} is not an object`, { where: path })
}
