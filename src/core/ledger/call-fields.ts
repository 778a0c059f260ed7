// Reads call arguments of any shape; undefined if they do not fit.
import type { Fields, Json } from '../text/json.ts'
import { cutHead } from '../window/tokens/cut.ts'
import { LONGEST_PATH_CHARS } from './path-text.ts'

/** An object, or the JSON text of one. */
export function readFields(json: Json): Fields {
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Fields
  return {}
}

export function textIn(fields: Fields, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (typeof value === 'string') return value
  }
  return undefined
}

export function listIn(fields: Fields, ...names: readonly string[]): readonly Json[] | undefined {
  for (const name of names) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (Array.isArray(value)) return value
  }
  return undefined
}

const PATHS = [
  'path',
  'file_path',
  'filePath',
  'absolute_path',
  'notebook_path',
  'target_file',
  'filename',
  'file',
  'relative_workspace_path',
]

/** The file of a call. */
export function pathIn(fields: Fields): string | undefined {
  const path = textIn(fields, ...PATHS)
  return path !== undefined && isPath(path) ? path : undefined
}

export function isPath(text: string): boolean {
  return text.trim() !== '' && text.length <= LONGEST_PATH_CHARS && !/[\n\0]/.test(text)
}

/** The subject of a call: a path, a command, or nothing. */
export function readSubject(input: Json): string {
  const fields = readFields(input)
  const text =
    pathIn(fields) ?? textIn(fields, 'command', 'cmd', 'description', 'pattern', 'query', 'url')
  return cutHead((text ?? '').split('\n', 1)[0] ?? '', 300)
}
