// The tools of supported agents and our own, by name: the intent of each call.
import type { Fields, Json } from '../text/json.ts'
import { cutHead } from '../window/tokens/cut.ts'
import { isPath, listIn, pathIn, readFields, textIn } from './call-fields.ts'
import type { Intent } from './intent.ts'
import { type FileOperation, OPEN_FILE } from './operation.ts'
import { patchOperations } from './patch.ts'
import { commandIn } from './shell/settle-command.ts'
import { readShellLine } from './shell/steps.ts'
import { readStatus, todosIn } from './todos.ts'

type Meaning = (fields: Fields, input: Json, name: string) => Intent

const OTHER: Intent = { kind: 'other' }
const COMMAND_CHARS = 1_000
const PLAN_CHARS = 6_000
const MOST_PATHS = 200

/** The intent of a call; names are compared without case, dashes, underscores and server prefix. */
export function readIntent(name: string, input: Json): Intent {
  const short = name.slice(name.lastIndexOf('__') + 1).replace(/^_/, '')
  const key = short
    .slice(short.lastIndexOf('.') + 1)
    .replace(/[-_ ]/g, '')
    .toLowerCase()
  const meaning = Object.hasOwn(MEANINGS, key) ? MEANINGS[key] : undefined
  return meaning?.(readFields(input), input, name) ?? OTHER
}

const files =
  (op: 'read' | 'write' | 'edit'): Meaning =>
  (fields) => {
    const path = pathIn(fields)
    if (path !== undefined) return onFiles({ op, path: { name: path } })
    return op === 'edit' && 'search' in fields ? onFiles({ op, path: OPEN_FILE }) : OTHER
  }

const shell: Meaning = (fields, input, name) => {
  const text = commandIn(fields, input)
  if (text === undefined) return OTHER
  const folder = textIn(fields, 'workdir', 'directory', 'dir_path', 'cwd')
  const hasSession = ['shellId', 'mode', 'initial_wait', 'restart'].some((key) => key in fields)
  return shellIntent(text, {
    persists: hasSession || KEEPS_FOLDER.has(name),
    ...(folder !== undefined && isPath(folder) && { folder }),
  })
}
/** Shells that stay open between calls. */
const KEEPS_FOLDER = new Set(['Bash', 'execute_bash', 'run_in_terminal', 'terminal'])

export function shellIntent(
  text: string,
  more: { readonly persists: boolean; readonly folder?: string },
): Intent {
  return { kind: 'shell', command: cutHead(text, COMMAND_CHARS), ...readShellLine(text), ...more }
}

const list: Meaning = (fields) => {
  const depth = fields.depth
  const isDeep = fields.recursive === true || (typeof depth === 'number' && depth >= 20)
  // With a limited depth, unlisted files may be deeper.
  return { kind: 'list', folder: pathIn(fields) ?? '', isDeep }
}
const found: Meaning = () => ({ kind: 'found' })
const patch: Meaning = (fields, input) => {
  const text = typeof input === 'string' ? input : textIn(fields, 'input', 'patch', 'patchText')
  return text === undefined ? OTHER : { kind: 'files', operations: patchOperations(text) }
}

const todos: Meaning = (fields) => {
  const found = todosIn(fields)
  return found === undefined ? OTHER : { kind: 'todos', todos: found }
}

const plan: Meaning = (fields) => {
  const text = textIn(fields, 'plan', 'response')
  return text === undefined ? OTHER : { kind: 'plan', text: cutHead(text, PLAN_CHARS) }
}

const transfer =
  (op: 'move' | 'copy'): Meaning =>
  (fields) => {
    const from = textIn(fields, 'source', 'from', 'old_path', 'oldPath', 'source_path', 'path')
    const to = textIn(fields, 'destination', 'to', 'new_path', 'newPath', 'destination_path')
    if (from === undefined || to === undefined || !isPath(from) || !isPath(to)) return OTHER
    return onFiles({ op, path: { name: from }, to: { name: to } })
  }

const poll =
  (isEnd?: true): Meaning =>
  (fields) => {
    const number = fields.session_id
    const id = textIn(fields, 'bash_id', 'shell_id', 'task_id', 'session_id', 'shellId')
    const known = id ?? (typeof number === 'number' ? String(number) : undefined)
    return known === undefined
      ? OTHER
      : { kind: 'poll', id: known.slice(0, 100), ...(isEnd && { isEnd }) }
  }

const severalFiles: Meaning = (fields) => {
  const paths = (listIn(fields, 'files', 'paths', 'include', 'file_paths') ?? [])
    .slice(0, MOST_PATHS)
    .flatMap((item) => (typeof item === 'string' ? item : (pathIn(readFields(item)) ?? [])))
    .filter((path) => isPath(path) && !/[*?]/.test(path))
  return onFiles(...paths.map((name): FileOperation => ({ op: 'read', path: { name } })))
}

/** One tool with several commands. */
const editor: Meaning = (fields) => {
  const path = pathIn(fields)
  if (path === undefined) return OTHER
  const target = { name: path }
  switch (textIn(fields, 'command') ?? guessedCommand(fields)) {
    case 'view':
      return onFiles({ op: 'read', path: target })
    case 'create':
      return onFiles({ op: 'write', path: target })
    case 'str_replace':
    case 'insert':
    case 'undo_edit':
      return onFiles({ op: 'edit', path: target })
    default:
      return OTHER
  }
}

function guessedCommand(fields: Fields): string {
  if (textIn(fields, 'old_text', 'old_str') !== undefined) return 'str_replace'
  return textIn(fields, 'new_text', 'file_text') === undefined ? '' : 'create'
}

const taskAdded: Meaning = (fields) => {
  const text = textIn(fields, 'subject', 'title')
  return text === undefined ? OTHER : { kind: 'todo-added', text: cutHead(text, 300) }
}
const taskChanged: Meaning = (fields) => {
  const id = textIn(fields, 'taskId', 'task_id')
  const status = readStatus(fields.status)
  return id === undefined
    ? OTHER
    : { kind: 'todo-changed', id: id.slice(0, 50), ...(status && { status }) }
}

const [read, write, edit] = [files('read'), files('write'), files('edit')]

const MEANINGS: Readonly<Record<string, Meaning>> = {
  // Read
  read,
  readfile: read,
  view: read,
  viewfile: read,
  open: read,
  notebookread: read,
  readfiles: severalFiles,
  readmanyfiles: severalFiles,
  // Write and edit
  write,
  writefile: write,
  writetofile: write,
  createfile: write,
  create: write,
  edit,
  multiedit: edit,
  editfile: edit,
  replace: edit,
  replaceinfile: edit,
  strreplace: edit,
  searchandreplace: edit,
  insert: edit,
  insertcontent: edit,
  applydiff: edit,
  notebookedit: edit,
  editnotebook: edit,
  strreplaceeditor: editor,
  strreplacebasededittool: editor,
  editor,
  applypatch: patch,
  patch,
  deletefile: (fields) => {
    const path = pathIn(fields)
    return path === undefined ? OTHER : onFiles({ op: 'delete', path: { name: path } })
  },
  movefile: transfer('move'),
  renamefile: transfer('move'),
  move: transfer('move'),
  copyfile: transfer('copy'),
  createdirectory: (fields) => {
    const path = pathIn(fields)
    return path === undefined ? OTHER : onFiles({ op: 'folder', path: { name: path } })
  },
  // Look around
  list,
  ls: list,
  listdir: list,
  listdirectory: list,
  listfiles: list,
  glob: found,
  findfile: found,
  filesearch: found,
  // Commands
  bash: shell,
  shell,
  localshell: shell,
  localshellcall: shell,
  shellcommand: shell,
  execcommand: shell,
  exec: shell,
  run: shell,
  runcommand: shell,
  runcommands: shell,
  runshellcommand: shell,
  executecommand: shell,
  executebash: shell,
  runinterminal: shell,
  terminal: shell,
  bashoutput: poll(),
  taskoutput: poll(),
  writestdin: poll(),
  readbash: poll(),
  killbash: poll(true),
  killshell: poll(true),
  taskstop: poll(true),
  stopbash: poll(true),
  // Plans
  todowrite: todos,
  updateplan: todos,
  writetodos: todos,
  updatetodo: todos,
  updatetodolist: todos,
  managetodolist: todos,
  tasktracker: todos,
  taskcreate: taskAdded,
  taskupdate: taskChanged,
  exitplanmode: plan,
  planmoderespond: plan,
}

function onFiles(...operations: readonly FileOperation[]): Intent {
  return { kind: 'files', operations }
}
