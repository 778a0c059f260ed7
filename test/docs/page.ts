// Markdown as the tests of the documentation read it: fenced blocks, tables and links.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A fenced block: the words behind the fence, and what stands between the fences. */
export interface Fence {
  readonly info: string
  readonly text: string
  readonly line: number
}

export interface Table {
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export function readPage(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

/** All pages of a folder and of those below it, by their path from the root. */
export function pagesUnder(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md'))
    .sort()
}

export function fencesWith(markdown: string, info: string): Fence[] {
  return fencesOf(markdown).filter((fence) => fence.info === info)
}

/** The one block with these words behind its fence. */
export function fenceWith(markdown: string, info: string): Fence {
  const [fence, ...others] = fencesWith(markdown, info)
  if (fence === undefined || others.length > 0)
    throw new Error(`expected one block «${info}», found ${others.length + (fence ? 1 : 0)}`)
  return fence
}

/** Tables whose header begins with these cells. */
export function tablesWith(markdown: string, ...start: string[]): Table[] {
  return tablesOf(markdown).filter(({ header }) => start.every((cell, at) => header[at] === cell))
}

/** The text in backticks of a cell, in order. */
export function codeIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map((found) => found[1] ?? '')
}

/** Targets of links, outside of fenced blocks and of code in the line. */
export function linksOf(markdown: string): string[] {
  const prose = withoutFences(markdown).replace(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^()\s]+)\)/g)].map((found) => found[1] ?? '')
}

function fencesOf(markdown: string): Fence[] {
  const fences: Fence[] = []
  let open: { info: string; line: number; body: string[] } | undefined
  for (const [index, line] of markdown.split('\n').entries()) {
    const info = /^```(.*)$/.exec(line)?.[1]
    if (open === undefined) {
      if (info !== undefined) open = { info: info.trim(), line: index + 1, body: [] }
    } else if (info === '') {
      fences.push({ info: open.info, line: open.line, text: open.body.join('\n') })
      open = undefined
    } else open.body.push(line)
  }
  if (open !== undefined) throw new Error(`the fence in line ${open.line} is not closed`)
  return fences
}

function tablesOf(markdown: string): Table[] {
  const tables: Table[] = []
  let lines: string[] = []
  for (const line of [...withoutFences(markdown).split('\n'), '']) {
    if (line.startsWith('|')) lines.push(line)
    else if (lines.length > 0) {
      const [header = [], , ...rows] = lines.map(cellsOf)
      tables.push({ header, rows })
      lines = []
    }
  }
  return tables
}

/** `\|` is a bar inside a cell. */
function cellsOf(line: string): string[] {
  return line
    .replace(/^\||\|\s*$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))
}

function withoutFences(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```$/gm, '')
}
