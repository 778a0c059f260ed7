// Codex's config.toml: the table of the MCP server, put in, found and taken out, and what Codex keeps there about the hooks
import { areOwnArguments, ENTRY, entryOfOthers, type HostFile } from './host-file.ts'

const [BEGIN, END] = ['# >>> precis', '# <<< precis']
const SERVERS = 'mcp_servers'
const TABLE = `${SERVERS}.${ENTRY}`

/**
 * A TOML file with a table of ours. Codex writes the file again and moves comments: the table tells whose it is.
 * `hooks` are the names that Codex gives to our hooks where it notes that the user trusts them.
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
    forget: (text) => withoutTrust(text, hooks),
    isSame: (one, other) => sortedTables(one) === sortedTables(other),
  }
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

/** What a program that writes the file again may change: the order of tables, empty lines, our comments. */
function sortedTables(text: string): string {
  const parts = tablesIn(text.replaceAll(OWN_COMMENT, '')).map(({ part }) => withoutBlank(part))
  return parts.filter(Boolean).sort().join('\n')
}

function withoutBlank(text: string): string {
  return text.replaceAll(/^[ \t]*\r?\n/gm, '').trimEnd()
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
