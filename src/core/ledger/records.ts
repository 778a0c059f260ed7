// The records of the ledger; lists are bounded, newest last
// Todo lists and patches, as agents write them.

import type { Fields, Json } from '../text/json.ts'
import { cutHead } from '../window/tokens/weigh.ts'
import type { FileTree } from './file-record.ts'
import { listIn, type OpenCall, readFields, type Todo, textIn } from './intent.ts'
import type { FileOperation } from './operation.ts'
import { LONGEST_PATH_CHARS } from './path-text.ts'

export interface CommandRecord {
  readonly key: string
  readonly command: string // as it was given, cut where it is long
  readonly isFailed: boolean
  readonly exitCode?: number
  /** The last line of its output. */
  readonly lastLine: string
  readonly at: number
}

export interface TestRun {
  readonly key: string
  readonly isFailed: boolean
  readonly passed?: number
  readonly failed?: number
  readonly failures: readonly string[]
  readonly at: number
}

/** A call that failed, and has not worked since. */
export interface OpenError {
  readonly tool: string
  readonly subject: string
  /** Commands behind tests that passed: open until each of them has worked. */
  readonly behind?: readonly string[]
  readonly line: string
  readonly at: number
}

/** What was recorded for good, or left the machine. */
export interface Landing {
  readonly kind:
    | 'commit'
    | 'push'
    | 'merge'
    | 'tag'
    | 'pull-request'
    | 'pull-request-merged'
    | 'pull-request-closed'
    | 'release'
  readonly what: string
  readonly at: number
  /** Of a commit: further branches that it was seen on, and since when. */
  readonly alsoOn?: readonly { readonly branch: string; readonly at: number }[]
}

export interface BackgroundCommand {
  readonly id: string
  readonly command: string
  readonly at: number
}

export interface Ledger {
  /** The folder that the work is about; undefined until something names it. */
  readonly root?: string
  /** The working directory, from the root; undefined if nobody knows. */
  readonly folder?: string
  /** As it was last written. */
  readonly folderName?: string
  readonly tree: FileTree
  /** In flight: called, and not answered yet. */
  readonly calls: readonly OpenCall[]
  readonly background: readonly BackgroundCommand[]
  readonly commands: readonly CommandRecord[]
  readonly tests: readonly TestRun[]
  readonly errors: readonly OpenError[]
  /** Commands that may have changed files in ways that nobody can tell. */
  readonly unclear: readonly { readonly command: string; readonly at: number }[]
  readonly todos: readonly Todo[]
  /** The last event that changed them. */
  readonly todosAt?: number
  /** Commits, pushes, pull requests and the like, in their order. */
  readonly landings: readonly Landing[]
  readonly plan?: { readonly text: string; readonly at: number }
  /** The file that a plan was last written to. */
  readonly planPath?: string
}

const MOST_TODOS = 100
const TODO_CHARS = 400

/** Undefined if the call does not write a list. An empty one is a list. */
export function todosIn(fields: Fields): Todo[] | undefined {
  const items = listIn(fields, 'todos', 'plan', 'task_list', 'todoList', 'tasks', 'items')
  if (items !== undefined) return items.slice(0, MOST_TODOS).flatMap(readTodo)
  const text = textIn(fields, 'todos', 'plan', 'task_progress')
  return text === undefined ? undefined : checklist(text)
}

function readTodo(item: Json): Todo[] {
  const fields = readFields(item)
  const text =
    typeof item === 'string'
      ? item
      : textIn(fields, 'content', 'step', 'description', 'title', 'text', 'task', 'subject')
  if (text === undefined) return []
  const status = readStatus(fields.status) ?? (fields.done === true ? 'completed' : 'pending')
  return [{ text: cutHead(text, TODO_CHARS), status }]
}

const STATUSES: Readonly<Record<string, Todo['status']>> = {
  pending: 'pending',
  todo: 'pending',
  open: 'pending',
  not_started: 'pending',
  in_progress: 'in_progress',
  inprogress: 'in_progress',
  active: 'in_progress',
  completed: 'completed',
  done: 'completed',
  cancelled: 'cancelled',
  canceled: 'cancelled',
  deleted: 'cancelled',
}

export function readStatus(json: Json | undefined): Todo['status'] | undefined {
  if (typeof json !== 'string') return undefined
  const name = json.toLowerCase().replace('-', '_')
  return Object.hasOwn(STATUSES, name) ? STATUSES[name] : undefined
}

/** `- [x] done`, `- [ ] to do`, `- [-] under way`. */
function checklist(text: string): Todo[] {
  const todos: Todo[] = []
  for (const line of text.split('\n', 1_000)) {
    const [, mark, what] = /^\s{0,20}[-*] \[(.)\] (.{1,400})/.exec(line) ?? []
    if (mark === undefined || what === undefined || todos.length >= MOST_TODOS) continue
    const status = mark === ' ' ? 'pending' : /[xX]/.test(mark) ? 'completed' : 'in_progress'
    todos.push({ text: what.trim(), status })
  }
  return todos
}

// The patches of `apply_patch`: which files they add, change, move and delete.

const MOST_FILES = 300
const HEADER = /^\*\*\* (Add|Update|Delete) File: (.+)$/
const MOVE = /^\*\*\* Move to: (.+)$/

/** Reads only the lines that name files, wherever the patch is in the text. */
export function patchOperations(text: string): FileOperation[] {
  const operations: FileOperation[] = []
  for (let start = text.indexOf('*** '); start >= 0; start = text.indexOf('\n*** ', start)) {
    if (text[start] === '\n') start += 1
    const end = text.indexOf('\n', start)
    const stop = end === -1 ? text.length : end
    if (stop - start < LONGEST_PATH_CHARS) readLine(text.slice(start, stop).trimEnd(), operations)
    if (end === -1 || operations.length >= MOST_FILES) break
    start = stop
  }
  return operations
}

function readLine(line: string, operations: FileOperation[]): void {
  const [, kind, name = ''] = HEADER.exec(line) ?? []
  const path = { name: name.trim() }
  if (kind === 'Add') operations.push({ op: 'write', path, isNew: true })
  else if (kind === 'Delete') operations.push({ op: 'delete', path })
  else if (kind === 'Update') operations.push({ op: 'edit', path })
  const moved = MOVE.exec(line)?.[1]
  const last = operations.at(-1)
  if (moved !== undefined && last?.op === 'edit')
    operations.push({ op: 'move', path: last.path, to: { name: moved.trim() } })
}
