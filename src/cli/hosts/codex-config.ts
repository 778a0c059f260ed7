// Codex's config.toml: adds, finds and removes the table of the MCP server, and Codex's notes about the
// hooks.
import type { PrecisError } from '../../core/errors.ts'
import { areOwnArguments, ENTRY, entryOfOthers, type HostFile, refusal } from './host-file.ts'
import { tomlFault } from './toml-fault.ts'

const [BEGIN, END] = ['# >>> precis', '# <<< precis']
const SERVERS = 'mcp_servers'
const TABLE = `${SERVERS}.${ENTRY}`

/**
 * A TOML file with a table of ours. Codex rewrites the file and moves comments, so the table itself
 * identifies it. `hooks` are the names under which Codex notes that the user trusts our hooks.
 */
export function tableFile(
  path: string,
  lines: readonly string[],
  hooks: ReadonlySet<string>,
): HostFile {
  const block = `${[BEGIN, `[${TABLE}]`, ...lines, END].join('\n')}\n`
  return {
    path,
    isHandMade: true,
    add: (text = '') => {
      const fault = tomlFault(text)
      if (fault) throw isBroken(path, fault.line, fault.why)
      if (hasEntry(text)) throw entryOfOthers(path)
      if (inlineServers(text) !== undefined) throw cannotAdd(path)
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
    forget: (text) => withoutTrust(text, hooks),
    isSame: (one, other) => sortedTables(one) === sortedTables(other),
  }
}

/** Codex does not start with such a file, and a table at its end may become part of the broken text. */
function isBroken(path: string, line: number, why: string): PrecisError {
  return refusal(path, `${path} is broken at line ${line}: ${why}`, 'Fix the file first.')
}

/** TOML allows no table after an inline one with the same name. */
function cannotAdd(path: string): PrecisError {
  const sentence = `${path} has \`${SERVERS} = { … }\`, to which no server can be added`
  return refusal(path, sentence, `Write it as tables such as [${SERVERS}.NAME] first.`)
}

const TRUST = 'hooks.state'

function withoutTrust(text: string, hooks: ReadonlySet<string>): string {
  const names = new Set([...hooks].map((hook) => `${TRUST}.${plainKey(hook)}`))
  const tables = tablesIn(text)
  if (!tables.some(({ name }) => names.has(name))) return text
  const isEmptied = tables.every(({ name }) => !name.startsWith(`${TRUST}.`) || names.has(name))
  return tables
    .map(({ name, part }) => {
      const isHeadOnly = name === TRUST && withoutBlank(part).split('\n').length === 1
      return names.has(name) || (isEmptied && isHeadOnly) ? behind(part) : part
    })
    .join('')
}

/** What another program may change when it rewrites the file: order of tables, empty lines, our comments. */
function sortedTables(text: string): string {
  const parts = tablesIn(text.replaceAll(OWN_COMMENT, '')).map(({ part }) => withoutBlank(part))
  return parts.filter(Boolean).sort().join('\n')
}

function withoutBlank(text: string): string {
  return text.replaceAll(/^[ \t]*\r?\n/gm, '').trimEnd()
}

const OWN_COMMENT = new RegExp(`^(?:${BEGIN}|${END})[ \\t]*\\r?(?:\\n|$)`, 'gm')
const BEFORE_TABLE = /^(?=[ \t]*\[{1,2}[^[\]\n]+\]{1,2}[ \t]*(?:#.*)?\r?$)/m

/** Splits the text before each line that begins a table. */
function tablesIn(text: string): { readonly name: string; readonly part: string }[] {
  return text.split(BEFORE_TABLE).map((part) => {
    return { name: plainKey(/^\s*\[+([^\]]*)/.exec(part)?.[1] ?? ''), part }
  })
}

/** `a . "b"` is `a.b`. */
function plainKey(key: string): string {
  return key.replaceAll(/[\s"']/g, '')
}

/** Comments before the next table belong to that one. */
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

/** Whether it exists, as a table or in another TOML notation. */
function hasEntry(text: string): boolean {
  const isTable = tablesIn(text).some(({ name, part }) => {
    const keys = [...part.matchAll(/^[ \t]*([^=#[\n]+)=/gm)].map(([, key = '']) => plainKey(key))
    const all = [name, ...keys.map((key) => (name === '' ? key : `${name}.${key}`))]
    return all.some((key) => `${key}.`.startsWith(`${TABLE}.`))
  })
  const inline = new RegExp(`[{,]\\s*["']?${ENTRY}["']?\\s*[=.]`)
  return isTable || inline.test(inlineServers(text) ?? '')
}

/** What follows `mcp_servers =`, up to the first table. */
function inlineServers(text: string): string | undefined {
  const [{ name, part } = { name: '', part: '' }] = tablesIn(text)
  const found = new RegExp(`^[ \\t]*["']?${SERVERS}["']?[ \\t]*=([\\s\\S]*)`, 'm').exec(part)
  return name === '' ? found?.[1] : undefined
}
