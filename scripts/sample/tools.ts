// The tools of the sample session, at work on the files of the project: what is read is what was written.
import { readEdit, type Step } from './story.ts'

export interface Call {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  readonly result: string
  readonly failed: boolean
}

type Files = Map<string, string>
type Tool = (step: Step, files: Files) => { input: Call['input']; result: string }

const CONTEXT_LINES = 3
const MARKS: Readonly<Record<string, string>> = { ' ': 'open', '~': 'started', x: 'done' }

const TOOLS: Readonly<Record<string, { readonly name: string; readonly run: Tool }>> = {
  read: { name: 'read', run: read },
  edit: { name: 'edit', run: edit },
  write: { name: 'write', run: write },
  ls: { name: 'list', run: list },
  grep: { name: 'grep', run: grep },
  bash: {
    name: 'bash',
    run: ({ argument, lines }) => ({ input: { command: argument }, result: lines }),
  },
  script: {
    name: 'bash',
    run: ({ lines }) => {
      const [command = '', result = ''] = lines.split('\n----\n')
      return { input: { command }, result }
    },
  },
  todo: { name: 'todo', run: todo },
}

export const TOOL_DEFINITIONS = [
  define('read', 'Reads a file, with line numbers.', { path: 'string', lines: 'string' }, ['path']),
  define('edit', 'Replaces a text that occurs once in a file.', {
    path: 'string',
    old: 'string',
    new: 'string',
  }),
  define('write', 'Writes a whole file.', { path: 'string', content: 'string' }),
  define('list', 'Lists the files below a folder.', { path: 'string' }),
  define('grep', 'Searches files by a regular expression.', { pattern: 'string', path: 'string' }),
  define('bash', 'Runs a shell command in the project.', { command: 'string' }),
  define('todo', 'Replaces the list of things to do.', { todos: 'array' }),
]

/** The call that a step of the story makes, or undefined where it makes none. */
export function callOf(step: Step, files: Files): Call | undefined {
  const tool = TOOLS[step.kind]
  if (!tool) return undefined
  return { name: tool.name, failed: step.failed, ...tool.run(step, files) }
}

function define(
  name: string,
  description: string,
  properties: Readonly<Record<string, string>>,
  required = Object.keys(properties),
) {
  const typed = Object.entries(properties).map(([field, type]) => [field, { type }])
  const schema = { type: 'object', properties: Object.fromEntries(typed), required }
  return { name, description, input_schema: schema }
}

function contentOf(files: Files, path: string): string {
  const content = files.get(path)
  if (content === undefined) throw new Error(`${path} is not in the project`)
  return content
}

function read({ argument }: Step, files: Files) {
  const [path = '', lines] = argument.split(' ')
  const [first = 1, last = Number.POSITIVE_INFINITY] = lines?.split('-').map(Number) ?? []
  const numbered = numberedLines(contentOf(files, path)).filter(
    (_, at) => at + 1 >= first && at < last,
  )
  return { input: { path, ...(lines && { lines }) }, result: numbered.join('\n') }
}

function edit(step: Step, files: Files) {
  const change = readEdit(step)
  const before = contentOf(files, change.path)
  const at = before.indexOf(change.old)
  if (at < 0 || before.indexOf(change.old, at + 1) >= 0)
    throw new Error(`${change.path}: the text to replace occurs not exactly once`)
  const after = before.slice(0, at) + change.new + before.slice(at + change.old.length)
  files.set(change.path, after)
  const from = before.slice(0, at).split('\n').length - 1
  const to = from + change.new.split('\n').length
  const shown = numberedLines(after).slice(Math.max(0, from - CONTEXT_LINES), to + CONTEXT_LINES)
  return { input: change, result: [`${change.path} was changed:`, ...shown].join('\n') }
}

function write({ argument, lines }: Step, files: Files) {
  const content = `${lines}\n`
  files.set(argument, content)
  const count = content.split('\n').length - 1
  return { input: { path: argument, content }, result: `Wrote ${argument}, ${count} lines.` }
}

function list({ argument }: Step, files: Files) {
  const rows = [...files]
    .sort()
    .map(([path, content]) => `${String(content.length).padStart(6)}  ${path}`)
  return { input: { path: argument }, result: rows.join('\n') }
}

function grep({ argument }: Step, files: Files) {
  const [path = '', ...words] = argument.split(' ').reverse()
  const pattern = words.reverse().join(' ')
  const regex = new RegExp(pattern)
  const hits = [...files]
    .sort()
    .filter(([name]) => name.startsWith(`${path}/`))
    .flatMap(([name, content]) =>
      content
        .split('\n')
        .flatMap((line, at) => (regex.test(line) ? [`${name}:${at + 1}:${line}`] : [])),
    )
  return { input: { pattern, path }, result: hits.join('\n') }
}

function todo({ lines }: Step) {
  const todos = lines.split('\n').map((line) => ({
    text: line.slice(4),
    status: MARKS[line[1] ?? ' '] ?? 'open',
  }))
  const done = todos.filter(({ status }) => status === 'done').length
  return { input: { todos }, result: `${done} of ${todos.length} done.` }
}

function numberedLines(content: string): string[] {
  return content
    .replace(/\n$/, '')
    .split('\n')
    .map((line, at) => `${String(at + 1).padStart(6)}\t${line}`)
}
