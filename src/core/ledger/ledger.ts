// The ledger: files, tests, commands and plans, replayed from the tool calls of the log
import { PrecisError } from '../errors.ts'
import type { ThreadEvent } from '../log/event.ts'
import type { Reducer } from '../ports.ts'
import type { Json } from '../text/json.ts'
import type { ToolCall, ToolResult } from '../view/content.ts'
import { cutHead } from '../window/tokens/cut.ts'
import { aiderNotices } from './aider-notices.ts'
import { BucketMap } from './bucket-map.ts'
import { fieldsOf, textIn } from './call-fields.ts'
import { intentOf, subjectOf } from './dialects.ts'
import { emptyTree } from './file-tree.ts'
import type { OpenCall, Todo } from './intent.ts'
import { placeIn, placeNamedIn, workspaceAt } from './place.ts'
import type { Ledger } from './records.ts'
import { settle } from './settle.ts'
import { actionIn, settledByText } from './text-protocol.ts'
import { todosIn } from './todos.ts'

const MOST_CALLS = 64
const ID_CHARS = 200

/** One step for each event; what grows without end is cut at a bound. */
export const ledgerReducer: Reducer<Ledger> = {
  name: 'ledger',
  version: 1,
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
  }),
  step(before, event) {
    const ledger = placeIn(before, event.source)
    switch (event.type) {
      case 'TOOL_CALL':
        return withCall(ledger, event.data, event.seq)
      case 'TOOL_RESULT':
        return withResult(ledger, event.data, event.seq)
      case 'AGENT_MESSAGE': {
        // Calls without a result are open only behind the last answer.
        const said =
          event.data.calls.length === 0 ? actionIn(event.data.content, event.seq) : undefined
        return said === undefined && ledger.calls.length === 0
          ? ledger
          : { ...ledger, calls: said ? [said] : [] }
      }
      case 'USER_MESSAGE':
        return withUserMessage(ledger, event)
      case 'SYSTEM_PROMPT':
      case 'SYSTEM_REMINDER':
        return placeNamedIn(ledger, event.data)
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
  const intent = intentOf(call.name, call.arguments)
  const opened: OpenCall = {
    id: cutHead(call.id, ID_CHARS),
    name: cutHead(call.name, ID_CHARS),
    subject: subjectOf(call.arguments),
    at: seq,
    intent,
  }
  const calls = [...ledger.calls.filter(({ id }) => id !== opened.id), opened].slice(-MOST_CALLS)
  return { ...ledger, calls, ...progressIn(call.arguments) }
}

/** Cline writes its list beside the arguments of whatever it calls. */
function progressIn(input: Json): { readonly todos?: readonly Todo[] } {
  const text = textIn(fieldsOf(input), 'task_progress')
  const todos = text === undefined ? [] : (todosIn({ task_progress: text }) ?? [])
  return todos.length === 0 ? {} : { todos }
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

type Stored = Omit<Ledger, 'tree'> & {
  readonly tree: Omit<Ledger['tree'], 'files' | 'folders'> & {
    readonly files: readonly { readonly path: string }[]
    readonly folders: readonly { readonly path: string }[]
  }
}

function decode(json: Json): Ledger {
  if (!isStored(json))
    throw new PrecisError('store-corrupt', 'a stored ledger cannot be read', {
      where: 'snapshot, reducer ledger',
      hint: 'Remove the snapshot: it is made again from the log.',
    })
  const { tree, ...rest } = json as unknown as Stored
  const byPath = <V extends { readonly path: string }>(records: readonly V[]) =>
    BucketMap.of(records.map((record) => [record.path, record] as const))
  const { files, folders } = tree
  return { ...rest, tree: { ...tree, files: byPath(files), folders: byPath(folders) } } as Ledger
}

const LISTS = ['calls', 'background', 'commands', 'tests', 'errors', 'unclear', 'todos']

function isStored(json: Json): boolean {
  const fields = fieldsOf(json)
  const tree = fieldsOf(fields.tree ?? null)
  const isRecords = (list: Json | undefined) =>
    Array.isArray(list) && list.every((item) => typeof fieldsOf(item).path === 'string')
  return (
    LISTS.every((name) => Array.isArray(fields[name])) &&
    isRecords(tree.files) &&
    isRecords(tree.folders) &&
    typeof tree.versions === 'number' &&
    Array.isArray(tree.stashes)
  )
}
