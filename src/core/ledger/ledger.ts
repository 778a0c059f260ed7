// The ledger: files, tests, commands and plans, replayed from the log's tool calls.
import { PrecisError } from '../errors.ts'
import type { ThreadEvent } from '../log/event.ts'
import type { Reducer } from '../ports.ts'
import type { Json } from '../text/json.ts'
import { type ToolCall, type ToolResult, textOfUserContent } from '../view/content.ts'
import { cutHead } from '../window/tokens/cut.ts'
import { isPath, listIn, readFields, readSubject, textIn } from './call-fields.ts'
import { readIntent } from './dialects.ts'
import { BucketMap, emptyTree } from './file-record.ts'
import { FileWork } from './file-work.ts'
import type { OpenCall } from './intent.ts'
import type { Ledger } from './records.ts'
import { settle } from './settle.ts'
import { settleNotices } from './shell/settle-command.ts'
import { actionIn, settledByText } from './text-protocol.ts'
import { todosIn } from './todos.ts'
import { placeIn, placeNamedIn, workspaceAt } from './working-directory.ts'

const MOST_RECORDS = 200

/** Notices of aider between messages: added files and edits. */
function aiderNotices(ledger: Ledger, data: Json, seq: number): Ledger {
  const fields = readFields(data)
  if (fields.format !== 'aider') return ledger
  const work = new FileWork(ledger.tree, seq)
  for (const record of listIn(fields, 'records')?.slice(0, MOST_RECORDS) ?? []) {
    const raw = readFields(record).raw
    if (typeof raw === 'string') noteLines(work, raw)
  }
  return work.tree === ledger.tree ? ledger : { ...ledger, tree: work.tree }
}

function noteLines(work: FileWork, raw: string): void {
  const lines = raw.split('\n', 2_000)
  const agreed = new Set<string>()
  lines.forEach((line, at) => {
    if (/^> Create new file\? .*: y/i.test(line)) agreed.add(named(lines[at - 1] ?? ''))
    const [, verb, name] =
      /^> (Applied edit to|Added) (.{1,1024}?)(?: to the chat.{0,20})?\s*$/.exec(line) ?? []
    if (verb === undefined || name === undefined || !isPath(name)) return
    if (verb === 'Added' && !line.includes(' to the chat')) return
    const path = { name }
    if (verb === 'Added') work.apply({ op: 'read', path }, { folder: '' })
    else if (agreed.has(name)) work.apply({ op: 'write', path, isNew: true }, { folder: '' })
    else work.apply({ op: 'edit', path }, { folder: '' })
  })
}

function named(line: string): string {
  return line.replace(/^> /, '').trim()
}

const MOST_CALLS = 64
const ID_CHARS = 200

/** One step per event; growing lists are bounded. */
export const ledgerReducer: Reducer<Ledger> = {
  name: 'ledger',
  version: 4,
  init: () => ({
    folder: '',
    tree: emptyTree(),
    calls: [],
    background: [],
    commands: [],
    tests: [],
    errors: [],
    unclear: [],
    todos: [],
    landings: [],
  }),
  step(before, event) {
    const ledger = placeIn(before, event.source)
    switch (event.type) {
      case 'TOOL_CALL':
        return withCall(ledger, event.data, event.seq)
      case 'TOOL_RESULT':
        return withResult(ledger, event.data, event.seq)
      case 'AGENT_MESSAGE': {
        // Calls without a result are open only after the last answer.
        const said =
          event.data.calls.length === 0 ? actionIn(event.data.content, event.seq) : undefined
        return said === undefined && ledger.calls.length === 0
          ? ledger
          : { ...ledger, calls: said ? [said] : [] }
      }
      case 'USER_MESSAGE':
        return settleNotices(
          withUserMessage(ledger, event),
          () => textOfUserContent(event.data),
          event.seq,
        )
      case 'SYSTEM_PROMPT':
        return placeNamedIn(ledger, event.data)
      case 'SYSTEM_REMINDER':
        return settleNotices(placeNamedIn(ledger, event.data), () => event.data, event.seq)
      case 'THREAD_SETTINGS':
        return workspaceAt(ledger, event.data.workspace)
      case 'FOREIGN':
        return aiderNotices(placeIn(ledger, event.data), event.data, event.seq)
      default:
        return ledger
    }
  },
  encode: ({ tree, ...rest }) =>
    ({
      ...rest,
      tree: { ...tree, files: [...tree.files.values()], folders: [...tree.folders.values()] },
    }) as unknown as Json,
  decode,
}

function withCall(ledger: Ledger, call: ToolCall, seq: number): Ledger {
  const intent = readIntent(call.name, call.arguments)
  const opened: OpenCall = {
    id: cutHead(call.id, ID_CHARS),
    name: cutHead(call.name, ID_CHARS),
    subject: readSubject(call.arguments),
    at: seq,
    intent,
  }
  const calls = [...ledger.calls.filter(({ id }) => id !== opened.id), opened].slice(-MOST_CALLS)
  return { ...ledger, calls, ...progressIn(call.arguments, seq) }
}

/** Cline writes its list next to the arguments of any call. */
function progressIn(input: Json, seq: number): Partial<Pick<Ledger, 'todos' | 'todosAt'>> {
  const text = textIn(readFields(input), 'task_progress')
  const todos = text === undefined ? [] : (todosIn({ task_progress: text }) ?? [])
  return todos.length === 0 ? {} : { todos, todosAt: seq }
}

function withResult(ledger: Ledger, result: ToolResult, seq: number): Ledger {
  const id = result.id === undefined ? undefined : cutHead(result.id, ID_CHARS)
  const call = ledger.calls.find((candidate) => candidate.id === id)
  if (call === undefined) return ledger
  const calls = ledger.calls.filter((candidate) => candidate !== call)
  return settle({ ...ledger, calls }, call, result, seq)
}

function withUserMessage(
  ledger: Ledger,
  event: Extract<ThreadEvent, { type: 'USER_MESSAGE' }>,
): Ledger {
  const placed = placeNamedIn(ledger, event.data)
  if (placed.calls.length === 0) return placed
  const settled = settledByText(placed.calls, event.data)
  let after: Ledger = { ...placed, calls: [] }
  for (const { call, result } of settled) after = settle(after, call, result, event.seq)
  return after
}

type StoredLedger = Omit<Ledger, 'tree'> & {
  readonly tree: Omit<Ledger['tree'], 'files' | 'folders'> & {
    readonly files: readonly { readonly path: string }[]
    readonly folders: readonly { readonly path: string }[]
  }
}

function decode(json: Json): Ledger {
  if (!isStored(json))
    throw new PrecisError('store-corrupt', 'a stored ledger cannot be read', {
      where: 'snapshot, reducer ledger',
      hint: 'Remove the snapshot: it is rebuilt from the log.',
    })
  const { tree, ...rest } = json as unknown as StoredLedger
  const byPath = <V extends { readonly path: string }>(records: readonly V[]) =>
    BucketMap.of(records.map((record) => [record.path, record] as const))
  const { files, folders } = tree
  return { ...rest, tree: { ...tree, files: byPath(files), folders: byPath(folders) } } as Ledger
}

const LISTS = 'calls background commands tests errors unclear todos landings'.split(' ')

function isStored(json: Json): boolean {
  const fields = readFields(json)
  const tree = readFields(fields.tree ?? null)
  const isRecords = (list: Json | undefined) =>
    Array.isArray(list) && list.every((item) => typeof readFields(item).path === 'string')
  return (
    LISTS.every((name) => Array.isArray(fields[name])) &&
    isRecords(tree.files) &&
    isRecords(tree.folders) &&
    typeof tree.versions === 'number' &&
    Array.isArray(tree.stashes)
  )
}
