// The intended effect of a call, before its result
import type { Fields, Json } from '../text/json.ts'
import { cutHead } from '../window/tokens/cut.ts'
import { type FileOperation, LONGEST_PATH_CHARS, type Step } from './operation.ts'

export interface Todo {
  readonly text: string
  readonly status: 'pending' | 'in_progress' | 'completed' | 'cancelled'
}

export type Intent =
  | { readonly kind: 'files'; readonly operations: readonly FileOperation[] }
  | {
      readonly kind: 'shell'
      readonly command: string // as it is, cut where it is long
      readonly key: string
      readonly isTest: boolean
      /** Commands that follow the test. */
      readonly behind?: readonly string[]
      readonly steps: readonly Step[]
      /** Where it runs; absent if it runs in the root, or where the one before it left off. */
      readonly folder?: string
      /** The next command begins in the folder where this one ends. */
      readonly persists: boolean
    }
  /** Results whose lines are paths: of a folder, or any. */
  | { readonly kind: 'list'; readonly folder: string; readonly isDeep: boolean }
  | { readonly kind: 'found' }
  | { readonly kind: 'todos'; readonly todos: readonly Todo[] }
  | { readonly kind: 'todo-added'; readonly text: string }
  | { readonly kind: 'todo-changed'; readonly id: string; readonly status?: Todo['status'] }
  | { readonly kind: 'plan'; readonly text: string }
  /** Looks at, or ends, what runs in the background. */
  | { readonly kind: 'poll'; readonly id: string; readonly isEnd?: true }
  | { readonly kind: 'other' }

export interface OpenCall {
  readonly id: string
  readonly name: string
  /** What it is about, in short. */
  readonly subject: string
  readonly at: number // the number of its event
  readonly intent: Intent
}

// Reads the arguments of a call of any shape; undefined if they do not fit

/** Arguments that are an object, or the text of one. */
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

/** The file that a call is about. */
export function pathIn(fields: Fields): string | undefined {
  const path = textIn(fields, ...PATHS)
  return path !== undefined && isPath(path) ? path : undefined
}

export function isPath(text: string): boolean {
  return text.trim() !== '' && text.length <= LONGEST_PATH_CHARS && !/[\n\0]/.test(text)
}

/** What a call is about, in short: a path, a command, or nothing. */
export function readSubject(input: Json): string {
  const fields = readFields(input)
  const text =
    pathIn(fields) ?? textIn(fields, 'command', 'cmd', 'description', 'pattern', 'query', 'url')
  return cutHead((text ?? '').split('\n', 1)[0] ?? '', 300)
}
