// The files of each agent that `precis install` changes: how our entry is added, found and removed.
import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { extname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Fields, fieldsIn, isFields, type Json } from '../../core/text/json.ts'
import type { Io } from '../process-io.ts'
import { tableFile } from './codex-config.ts'
import {
  areOwnArguments,
  ENTRY,
  edited,
  entryOfOthers,
  fieldsAt,
  type HostFile,
  type HostName,
  hasComments,
  pruned,
  readFields,
  readLoosely,
  refusal,
} from './host-file.ts'

export interface HostPlace {
  /** The command by which the agent starts précis. */
  readonly command: readonly string[]
  readonly home: string
  /** Only for the project in this directory. */
  readonly project?: string
  readonly environment: Io['environment']
}

export function findHostPlace(io: Io, script: string, project: string | undefined): HostPlace {
  const { environment } = io
  const home = environment.HOME || environment.USERPROFILE || homedir()
  const command = [io.node ?? 'node', script]
  return { command, home, environment, ...(project !== undefined && { project }) }
}

export function listHostFiles(host: HostName, place: HostPlace): HostFile[] {
  return FILES[host](place)
}

const FILES: Readonly<Record<HostName, (place: HostPlace) => HostFile[]>> = {
  'claude-code': ({ command, home, project, environment: { CLAUDE_CONFIG_DIR } }) => [
    hooksFile(
      project === undefined
        ? join(CLAUDE_CONFIG_DIR || join(home, '.claude'), 'settings.json')
        : join(project, '.claude', 'settings.local.json'),
      CLAUDE_HOOKS,
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
    const hooks = join(folder, 'hooks.json')
    const line = hookLine(command, 'codex')
    const server = [
      `command = ${JSON.stringify(command[0])}`,
      `args = ${JSON.stringify([...command.slice(1), 'mcp'])}`,
    ]
    return [
      hooksFile(hooks, CODEX_HOOKS, line),
      tableFile(join(folder, 'config.toml'), server, trustedNames(hooks)),
    ]
  },
  opencode: ({ command, home, project, environment: { XDG_CONFIG_HOME } }) => {
    const config = join(XDG_CONFIG_HOME || join(home, '.config'), 'opencode')
    const folder = project === undefined ? config : join(project, '.opencode')
    const local = { type: 'local', command: [...command, 'mcp'] }
    return [
      ownFile(join(folder, 'plugin', 'precis.js'), 'opencode', command),
      // OpenCode adds a schema to a file without one, which would change it.
      entryFile(openCodeConfig(project ?? config), 'mcp', local, { $schema: SCHEMA }),
    ]
  },
  pi: ({ command, home, project, environment: { PI_CODING_AGENT_DIR } }) => {
    const own = PI_CODING_AGENT_DIR || join(home, '.pi', 'agent')
    const folder = project === undefined ? own : join(project, '.pi')
    return [ownFile(join(folder, 'extensions', 'precis.js'), 'pi', command)]
  },
}

interface Hook {
  readonly matcher?: string
  /** The agent does not wait for it. */
  readonly isAsync?: true
  /** Appended to the command: an agent runs identical commands only once. */
  readonly word?: string
}

/** Claude Code waits only for what its summary needs; the rest is prepared while the model writes. */
const CLAUDE_HOOKS: Readonly<Record<string, readonly Hook[]>> = {
  PreCompact: [{}, { isAsync: true, word: 'aside' }],
  SessionStart: [{ matcher: 'compact' }],
  SessionEnd: [{}],
}

/** Codex ignores the output of the hook before a compaction, so it need not wait. */
const CODEX_HOOKS: Readonly<Record<string, readonly Hook[]>> = {
  PreCompact: [{ isAsync: true }],
  SessionStart: [{ matcher: 'compact' }],
  SessionEnd: [{}],
}

const SCHEMA = 'https://opencode.ai/config.json'

/**
 * OpenCode merges two files. Comments in the first would be lost, so the entry then goes to the other. An
 * existing entry stays where it is.
 */
function openCodeConfig(folder: string): string {
  const plain = join(folder, 'opencode.json')
  const other = join(folder, 'opencode.jsonc')
  const entryIn = (path: string) => fieldsIn(readLoosely(path)?.mcp)[ENTRY]
  const held =
    [plain, other].find((path) => isOwnEntry(entryIn(path))) ??
    [plain, other].find((path) => entryIn(path) !== undefined)
  return held ?? (hasComments(plain) ? other : plain)
}

function hookLine(command: readonly string[], host: HostName): string {
  return `${command.map(quoted).join(' ')} hook ${host}`
}

/**
 * Quotes for a shell, which interprets these inside quotation marks; on Windows a backslash only separates
 * folders.
 */
function quoted(word: string): string {
  return `"${word.replaceAll(sep === '\\' ? /["$`]/g : /["$`\\]/g, '\\$&')}"`
}

const HOOK_SECONDS = 60
const OWN_HOOK = /\bprecis(?:\.js)?" hook [\w-]+(?: aside)?$/

/** A JSON file with lists of hooks by event, in the shape shared by Claude Code and Codex. */
function hooksFile(
  path: string,
  events: Readonly<Record<string, readonly Hook[]>>,
  command: string,
): HostFile {
  const written = ({ isAsync, word }: Hook) => ({
    ...{ type: 'command', command: word === undefined ? command : `${command} ${word}` },
    ...{ timeout: HOOK_SECONDS, ...(isAsync && { async: true }) },
  })
  return {
    path,
    add: (text) =>
      edited(text, path, (root) => {
        const hooks = { ...fieldsAt(root, 'hooks', path) }
        for (const [event, own] of Object.entries(events)) {
          const known = hooks[event]
          const [{ matcher } = {}] = own
          const group = { ...(matcher !== undefined && { matcher }), hooks: own.map(written) }
          hooks[event] = [...(Array.isArray(known) ? known : []), group]
        }
        return { ...root, hooks }
      }),
    remove: (text, before) =>
      pruned(text, before, path, (root, users) => {
        const hooks: [string, Json][] = []
        const usersHooks = fieldsAt(users, 'hooks', path)
        for (const [event, list] of Object.entries(fieldsAt(root, 'hooks', path))) {
          const left = Array.isArray(list) ? list.flatMap(withoutOwnHooks) : list
          const isEmptied = Array.isArray(list) && Array.isArray(left) && left.length === 0
          const isUsers = usersHooks[event] !== undefined
          if (!isEmptied || list.length === 0 || isUsers) hooks.push([event, left])
        }
        const { hooks: own, ...rest } = root
        if (own === undefined || JSON.stringify(own) === JSON.stringify(Object.fromEntries(hooks)))
          return root
        return hooks.length === 0 && users.hooks === undefined
          ? rest
          : { ...root, hooks: Object.fromEntries(hooks) }
      }),
  }
}

/** Other hooks may be in the same group. */
function withoutOwnHooks(group: Json): Json[] {
  const hooks = listHooks(group)
  const left = hooks.filter((hook) => !isOwnHook(hook))
  if (!isFields(group) || left.length === hooks.length) return [group]
  return left.length === 0 ? [] : [{ ...group, hooks: left }]
}

function isOwnHook(hook: Json): boolean {
  return isFields(hook) && typeof hook.command === 'string' && OWN_HOOK.test(hook.command)
}

function isOwnEntry(entry: Json | undefined): boolean {
  if (!isFields(entry)) return false
  const { command, args } = entry
  if (Array.isArray(command)) return areOwnArguments(command.slice(1))
  return Array.isArray(args) && areOwnArguments(args)
}

/** Codex's names for our hooks in this file: event, group and index. */
function trustedNames(path: string): ReadonlySet<string> {
  const names = new Set<string>()
  for (const [event, groups] of Object.entries(readHooks(path)))
    for (const [group, value] of (Array.isArray(groups) ? groups : []).entries())
      for (const [at, hook] of listHooks(value).entries()) {
        const place = `${event.replaceAll(/(?<!^)[A-Z]/g, '_$&').toLowerCase()}:${group}:${at}`
        if (isOwnHook(hook))
          for (const file of [path, realpathSync(path)]) names.add(`${file}:${place}`)
      }
  return names
}

function readHooks(path: string): Fields {
  return fieldsIn(readFields(path)?.hooks)
}

function listHooks(group: Json): readonly Json[] {
  return isFields(group) && Array.isArray(group.hooks) ? group.hooks : []
}

/** A JSON file with one entry of ours in an object, and fields the agent expects. */
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
    remove: (text, before) =>
      pruned(text, before, path, (root, users) => {
        const { [ENTRY]: own, ...others } = fieldsAt(root, field, path)
        const { [field]: _, ...rest } = root
        if (own === undefined || !isOwnEntry(own)) return root
        const isOurs = Object.keys(others).length === 0 && users[field] === undefined
        return isOurs ? rest : { ...root, [field]: others }
      }),
  }
}

/** A file entirely ours: loads the plug-in of this package with the command of précis. */
function ownFile(path: string, host: 'opencode' | 'pi', command: readonly string[]): HostFile {
  const { url } = import.meta
  const module = fileURLToPath(new URL(`../../hosts/${host}${extname(url)}`, url))
  const mark = `// Written by \`precis install ${host}\`; \`precis uninstall ${host}\` removes it.\n`
  const text = `${mark}import { plugin } from ${JSON.stringify(module)}
export default plugin(${JSON.stringify(command)})
`
  return {
    path,
    add(there) {
      if (there === undefined) return text
      throw refusal(
        path,
        `${path} already exists, and précis did not write it`,
        'Move it away first.',
      )
    },
    remove: (there) => (there.startsWith(mark) ? undefined : there),
  }
}
