// Settles a call with its result: records its effect if it succeeded.
import type { ToolResult } from '../view/content.ts'
import { carryOut, told } from './carry-out.ts'
import { commandEnd, textOfBlocks } from './command-end.ts'
import { noteFound, noteListing } from './evidence.ts'
import { FileWork, type Place } from './file-work.ts'
import type { Intent, OpenCall, Todo } from './intent.ts'
import type { FileOperation } from './operation.ts'
import type { Ledger } from './records.ts'
import { noteError, withoutError } from './running.ts'
import { settlePoll, settleShell } from './shell/settle-command.ts'
import { inFolder } from './working-directory.ts'

const MOST_TODOS = 100
/** Errors that some agents report as successful results. */
const REFUSED =
  /^\s*(?:<tool_use_error>|Error: |Error calling tool|The tool execution failed|Your proposed edit has introduced)/

/** It never ran: another call of the answer failed, or someone denied it. */
const NOT_RUN =
  /^\s*(?:<tool_use_error>)?(?:Sibling tool call errored|Cancelled: parallel tool call|The user doesn't want to (?:proceed|take this action))/

export type Outcome = Pick<ToolResult, 'status' | 'content' | 'metadata'>

export function settle(ledger: Ledger, call: OpenCall, result: Outcome, seq: number): Ledger {
  const text = textOfBlocks(result.content)
  const { intent } = call
  const placed = placeTold(ledger, text)
  if (result.status !== 'completed' && NOT_RUN.test(text.slice(0, 200))) return placed
  if (intent.kind === 'shell') return settleShell(placed, intent, commandEnd(text, result), seq)
  if (intent.kind === 'poll') return settlePoll(placed, intent, commandEnd(text, result), seq)
  if (result.status !== 'completed' || REFUSED.test(text.slice(0, 200)))
    return isLooking(intent) ? placed : noteError(placed, call, commandEnd(text, result), seq)
  return withoutError(settleDone(placed, intent, result, text, seq), call.subject)
}

/** Looking for something missing is not an error to fix. */
function isLooking(intent: Intent): boolean {
  if (intent.kind === 'files') return intent.operations.every(({ op }) => op === 'read')
  return intent.kind === 'list' || intent.kind === 'found'
}

function settleDone(
  ledger: Ledger,
  intent: Exclude<Intent, { kind: 'shell' | 'poll' }>,
  result: Outcome,
  text: string,
  seq: number,
): Ledger {
  switch (intent.kind) {
    case 'files':
      return settleFiles(ledger, intent.operations, result, text, seq)
    case 'list':
    case 'found': {
      const work = new FileWork(ledger.tree, seq)
      const place = findRoot(ledger)
      if (intent.kind === 'found') noteFound(work, text, place)
      else noteListing(work, text, { ...intent, kind: 'paths' }, place)
      return { ...ledger, tree: work.tree }
    }
    case 'todos':
      return { ...ledger, todos: intent.todos, todosAt: seq }
    case 'todo-added': {
      const todo: Todo = { text: intent.text, status: 'pending' }
      return { ...ledger, todos: [...ledger.todos, todo].slice(0, MOST_TODOS), todosAt: seq }
    }
    case 'todo-changed':
      return { ...ledger, todos: changedTodos(ledger.todos, intent), todosAt: seq }
    case 'plan':
      return { ...ledger, plan: { text: intent.text, at: seq } }
    case 'other':
      return ledger
  }
}

/** Tasks are numbered from one, in order of creation. */
function changedTodos(
  todos: readonly Todo[],
  { id, status }: Extract<Intent, { kind: 'todo-changed' }>,
): readonly Todo[] {
  return status === undefined
    ? todos
    : todos.map((todo, at) => (String(at + 1) === id ? { ...todo, status } : todo))
}

function findRoot({ root }: Ledger): Place {
  return { ...(root !== undefined && { root }), folder: '' }
}

function settleFiles(
  ledger: Ledger,
  operations: readonly FileOperation[],
  result: Outcome,
  text: string,
  seq: number,
): Ledger {
  const work = new FileWork(ledger.tree, seq)
  const place = findRoot(ledger)
  let planPath = ledger.planPath
  for (const operation of operations) {
    if (operation.op === 'read' && SHOWS_FOLDER.test(text.slice(0, 300))) continue
    carryOut(work, told(operation, text, result.metadata), place)
    const isPlan =
      'path' in operation && /(?:^|\/)(?:plans\/[^/]+|plan)\.md$/i.test(operation.path.name)
    if (isPlan && operation.op !== 'read') planPath = operation.path.name
  }
  return { ...ledger, tree: work.tree, ...(planPath !== undefined && { planPath }) }
}

const SHOWS_FOLDER = /^Here's the files and directories|<type>directory<\/type>/

/** SWE-agent ends each observation with its folder. */
function placeTold(ledger: Ledger, text: string): Ledger {
  const folder = /\(Current directory: (.{1,1024})\)\s*(?:bash-\$\s*)?$/.exec(
    text.slice(-1_200),
  )?.[1]
  return folder === undefined ? ledger : inFolder(ledger, folder)
}
