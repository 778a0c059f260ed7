// Todo lists as agents write them.
import type { Fields, Json } from '../text/json.ts'
import { cutHead } from '../window/tokens/cut.ts'
import { listIn, readFields, textIn } from './call-fields.ts'
import type { Todo } from './intent.ts'

const MOST_TODOS = 100

const TODO_CHARS = 400

/** Undefined if the call writes no list. An empty list is one. */
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
