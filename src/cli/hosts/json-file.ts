// A JSON file of an agent's configuration, read and edited; its indent, line ends and byte order mark stay
import { readFileSync } from 'node:fs'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import { refusal } from './host-file.ts'

/** Undefined where there is no file, or it cannot be read as JSON: whoever changes it says what is wrong with it. */
export function readFields(path: string): Fields | undefined {
  return objectIn(readText(path))
}

/** Also where it has comments and trailing commas, which would be lost if it were written again. */
export function readLoosely(path: string): Fields | undefined {
  return objectIn(withoutComments(readText(path)))
}

export function hasComments(path: string): boolean {
  return readFields(path) === undefined && readLoosely(path) !== undefined
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Editors on Windows write it, and agents skip it. */
const BOM = '\uFEFF'

function objectIn(text: string): Fields | undefined {
  try {
    const value = JSON.parse(text.startsWith(BOM) ? text.slice(1) : text) as Json
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** What stands in quotation marks is no comment. */
const COMMENT = /("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g
const TRAILING_COMMA = /("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])/g

function withoutComments(text: string): string {
  return text.replace(COMMENT, '$1').replace(TRAILING_COMMA, '$1')
}

export function edited(
  text: string | undefined,
  path: string,
  edit: (root: Fields) => Json,
): string {
  const root = text === undefined || text.trim() === '' ? {} : parsed(text, path)
  const indent = /\n([ \t]+)"/.exec(text ?? '')?.[1] ?? '  '
  const end = text === undefined || text.endsWith('\n') ? '\n' : ''
  const next = `${JSON.stringify(edit(root), null, indent)}${end}`
  const lines = text?.includes('\r\n') ? next.replaceAll('\n', '\r\n') : next
  return text?.startsWith(BOM) ? `${BOM}${lines}` : lines
}

export function pruned(
  text: string,
  before: string | undefined,
  path: string,
  edit: (root: Fields, users: Fields) => Fields,
): string | undefined {
  if (text.trim() === '') return text
  const root = parsed(text, path)
  const left = edit(root, before === undefined || before.trim() === '' ? {} : parsed(before, path))
  if (JSON.stringify(left) === JSON.stringify(root)) return text
  const isOurs = Object.keys(left).length === 0 && before === undefined
  return isOurs ? undefined : edited(text, path, () => left)
}

function parsed(text: string, path: string): Fields {
  const root = objectIn(text)
  if (root !== undefined) return root
  const hint =
    objectIn(withoutComments(text)) === undefined
      ? 'Fix the file, or add précis to it by hand (docs/use-with-agents.md).'
      : 'It has comments or trailing commas, which would be lost: remove them first, or edit the entry of précis by hand (docs/use-with-agents.md).'
  throw refusal(path, `${path} is not a JSON object`, hint)
}

export function fieldsAt(root: Fields, name: string, path: string): Fields {
  const value = root[name]
  if (value === undefined) return {}
  if (isFields(value)) return value
  throw refusal(path, `\`${name}\` in ${path} is not an object`, 'Fix the file first.')
}
