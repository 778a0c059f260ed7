// The ledger as lines of a brief; names as in the log, incomplete ones are counted.
import { cutHead } from '../window/tokens/cut.ts'
import {
  type FileRecord,
  type FileState,
  type FileTree,
  isOnlySeen,
  readState,
} from './file-record.ts'
import type { Landing, Ledger, TestRun } from './records.ts'
import { isLookingAt } from './running.ts'
import { isWaiting } from './shell/undone.ts'

/** A file of the conversation. */
export interface LedgerFile {
  readonly path: string
  /** As written; empty if never written in one piece. */
  readonly name: string
  readonly folder?: string
  readonly state?: FileState
  readonly isRead: boolean
  readonly from?: string // for renamed files: the old path
  readonly fromName?: string // and its spelling
  /** False if its earlier existence is unknown. */
  readonly isSure: boolean
  readonly isCommitted: boolean
  readonly at: number // its last event
}

/** The files with their changes, latest first. */
export function ledgerFiles({ tree }: Ledger): LedgerFile[] {
  const newNames = newNamesIn(tree)
  const files: LedgerFile[] = []
  for (const record of tree.files.values())
    if (!isOnlySeen(record)) files.push(findFile(record, newNames, tree))
  return files
    .filter(({ state, isRead }) => state !== undefined || isRead)
    .sort((a, b) => b.at - a.at || (a.path < b.path ? -1 : 1))
}

/** By old path: a file has one new name, others with the same origin are copies. */
function newNamesIn(tree: FileTree): ReadonlyMap<string, FileRecord> {
  const newNames = new Map<string, FileRecord>()
  for (const record of tree.files.values()) {
    if (readState(record, (path) => tree.files.get(path)) !== 'renamed') continue
    const { from = '' } = record
    const other = newNames.get(from)
    if (other === undefined || isRatherRenamed(record, other)) newNames.set(from, record)
  }
  return newNames
}

/** Moved before copied, then unchanged, then first by name. */
function isRatherRenamed(record: FileRecord, other: FileRecord): boolean {
  const rank = ({ isCopy, work, from }: FileRecord) => (isCopy ? 2 : 0) + (work === from ? 0 : 1)
  return rank(record) < rank(other) || (rank(record) === rank(other) && record.path < other.path)
}

function findFile(
  record: FileRecord,
  newNames: ReadonlyMap<string, FileRecord>,
  tree: FileTree,
): LedgerFile {
  const { path, name, folder, from = '', isSure, readAt, changedAt } = record
  const found = readState(record, (other) => tree.files.get(other))
  const isRenamed = newNames.get(from) === record
  const state = found === 'renamed' && !isRenamed ? 'created' : found
  return {
    path,
    name,
    ...(folder !== undefined && { folder }),
    // A moved file is listed under its new name.
    ...(state !== undefined && !(state === 'deleted' && newNames.has(path)) && { state }),
    ...(isRenamed && { from, fromName: tree.files.get(from)?.name ?? '' }),
    isRead: readAt !== undefined,
    isSure,
    isCommitted: record.work === record.head,
    at: Math.max(readAt ?? 0, changedAt ?? 0),
  }
}

const LINE_CHARS = 300
const STATES: readonly (FileState | 'read')[] = [
  'renamed',
  'created',
  'modified',
  'deleted',
  'read',
]

/**
 * At most `limit` lines, most important kinds first, latest first in each: place, running work, failures,
 * plans, files, commands. Finished todo lists are omitted.
 */
export function ledgerLines(ledger: Ledger, limit: number, ageOf: AgeOf = () => ''): string[] {
  const groups = [
    placeLines(ledger),
    flightLines(ledger),
    landingLines(ledger, ageOf),
    testLines(ledger, ageOf),
    todoLines(ledger, ageOf),
    errorLines(ledger, ageOf),
    fileLines(ledger),
    unclearLines(ledger),
    commandLines(ledger),
  ]
  const whole = Math.max(0, Math.floor(limit))
  return inTurns(groups, whole).map((line) => cutHead(line, LINE_CHARS))
}

/** The age of an event: ` (12 answers ago)`, or empty. */
export type AgeOf = (at: number) => string

/** Each group takes what it needs while there is room; the rest goes to the next. */
function inTurns(groups: readonly (readonly string[])[], limit: number): string[] {
  const filled = groups.filter((group) => group.length > 0)
  let room = limit
  const taken = filled.map(() => 0)
  while (room > 0) {
    const open = filled.flatMap((group, at) => ((taken[at] ?? 0) < group.length ? [at] : []))
    if (open.length === 0) break
    for (const at of open) {
      if (room === 0) break
      taken[at] = (taken[at] ?? 0) + 1
      room -= 1
    }
  }
  return filled.flatMap((group, at) => group.slice(0, taken[at]))
}

function placeLines({ root, folder, folderName, tree }: Ledger): string[] {
  return [
    ...(root === undefined ? [] : [`workspace: ${root}`]),
    ...(folder && folderName !== undefined ? [`working directory: ${folderName}`] : []),
    ...(tree.branch === undefined ? [] : [`branch: ${tree.branch}`]),
  ]
}

function flightLines({ calls, background }: Ledger): string[] {
  return [
    ...calls
      // A running `compact` is over before anyone reads this.
      .filter(({ id, name }) => id !== '' && name !== 'compact')
      .map(
        ({ name, id, subject }) => `in flight: ${[name, id, subject].filter(Boolean).join(' ')}`,
      ),
    ...background.map(({ id, command }) => `in the background: ${id} ${firstLine(command)}`),
  ]
}

function todoLines({ todos, todosAt = 0, plan, planPath }: Ledger, ageOf: AgeOf): string[] {
  const isOpen = todos.some(({ status }) => status === 'pending' || status === 'in_progress')
  return [
    ...(isOpen
      ? todos.map(({ text, status }) => `todo, ${status}: ${firstLine(text)}${ageOf(todosAt)}`)
      : []),
    ...(planPath === undefined ? [] : [`plan in ${planPath}`]),
    ...(plan === undefined ? [] : [`plan: ${firstLine(plan.text)}`]),
  ]
}

/** Only the newest of a kind, except pull requests; unpushed commits are counted. */
function landingLines({ landings }: Ledger, ageOf: AgeOf): string[] {
  const last = (kind: Landing['kind']) => landings.findLast((each) => each.kind === kind)
  const commits = landings.filter(({ kind }) => kind === 'commit')
  const commit = commits.at(-1)
  const waiting = commits.filter((each) => isWaiting(each, landings)).length
  const ended = new Set(
    landings.flatMap(({ kind, what }) =>
      kind === 'pull-request-merged' || kind === 'pull-request-closed' ? [what] : [],
    ),
  )
  const line = (what: string, each: Landing | undefined) =>
    each ? [`${what}${each.what === '' ? '' : `: ${each.what}`}${ageOf(each.at)}`] : []
  const pushed = waiting === 0 ? 'pushed' : `${waiting} not pushed`
  return [
    ...line(`last commit of ${commits.length}, ${pushed}`, commit),
    ...line('last push', last('push')),
    ...line('merged', last('merge')),
    ...landings
      .filter(({ kind, what }) => kind === 'pull-request' && !ended.has(printNumber(what)))
      .slice(-3)
      .flatMap((each) => line('pull request opened', each)),
    ...line('pull request merged', last('pull-request-merged')),
    ...line('pull request closed', last('pull-request-closed')),
    ...line('tag', last('tag')),
    ...line('released', last('release')),
  ]
}

/** `#12` of a URL. */
function printNumber(address: string): string {
  return `#${address.slice(address.lastIndexOf('/') + 1)}`
}

const PASSED_LINES = 2

function testLines({ tests }: Ledger, ageOf: AgeOf): string[] {
  const failing = tests.filter(({ isFailed }) => isFailed).toReversed()
  const passing = tests.filter(({ isFailed }) => !isFailed).toReversed()
  const line = (how: string) => (run: TestRun) =>
    `tests ${how}: ${run.key}${computeCounts(run.failed, run.passed)}${ageOf(run.at)}`
  return [
    ...failing.map(line('fail')),
    ...failing.flatMap(({ failures }) => failures.map((name) => `failing test: ${name}`)),
    ...passing.slice(0, PASSED_LINES).map(line('pass')),
  ]
}

function errorLines({ tests, errors }: Ledger, ageOf: AgeOf): string[] {
  const failedKeys = new Set(tests.flatMap(({ isFailed, key }) => (isFailed ? [key] : [])))
  return errors
    .filter(({ tool, subject }) => tool !== 'command' || !failedKeys.has(subject))
    .toReversed()
    .map(
      ({ tool, subject, line, at }) =>
        `open error: ${[tool === 'command' ? '' : tool, subject].filter(Boolean).join(' ')}: ${line}${ageOf(at)}`,
    )
}

function computeCounts(failed: number | undefined, passed: number | undefined): string {
  const parts = [
    ...(failed === undefined ? [] : [`${failed} failed`]),
    ...(passed === undefined ? [] : [`${passed} passed`]),
  ]
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`
}

/** Folders outside the work, with temporary files. */
const SCRATCH =
  /^(?:\/(?:private\/)?(?:tmp|var\/folders)\/|(?:\/[a-z]|[A-Z]:)[\\/]Users[\\/][^\\/]+[\\/]AppData[\\/]Local[\\/]Temp[\\/])/i

function fileLines(ledger: Ledger): string[] {
  const { root } = ledger
  const isElsewhere = root !== undefined && !SCRATCH.test(`${root}/`)
  const files = ledgerFiles(ledger).filter(({ path }) => !isElsewhere || !SCRATCH.test(path))
  const lines: string[] = []
  for (const state of STATES) {
    const own = files.filter((file) => (file.state ?? 'read') === state)
    const named = own.filter(({ name }) => name !== '')
    for (const file of named) lines.push(fileLine(file, state))
    const others = own.length - named.length
    if (others > 0) lines.push(`${state}: ${printCount(others, named.length > 0)}`)
  }
  return lines
}

function printCount(files: number, isRest: boolean): string {
  return isRest ? `${files} more` : `${files} file${files === 1 ? '' : 's'}`
}

function fileLine(
  { name, folder, fromName, isSure }: LedgerFile,
  state: FileState | 'read',
): string {
  const doubt = isSure || state === 'read' || state === 'renamed' ? '' : DOUBTS[state]
  const where = folder === undefined ? name : `${name} (in ${folder})`
  return `${state}: ${fromName ? `${fromName} → ${where}` : where}${doubt}`
}

const DOUBTS: Readonly<Record<Exclude<FileState, 'renamed'>, string>> = {
  created: ' (or replaced)',
  modified: ' (or created)',
  deleted: ' (if it was there)',
}

function unclearLines({ unclear }: Ledger): string[] {
  return unclear.toReversed().map(({ command }) => `may have changed files: ${firstLine(command)}`)
}

function commandLines({ commands }: Ledger): string[] {
  const telling = commands.filter(({ key }) => !isLookingAt(key))
  return telling.toReversed().map(({ command, key, isFailed, exitCode, lastLine }) => {
    const how = isFailed
      ? `failed${exitCode === undefined ? '' : `, exit code ${exitCode}`}`
      : 'worked'
    return `command ${how}: ${describeRun(command, key)}${lastLine === '' ? '' : ` → ${lastLine}`}`
  })
}

/** The relevant one of several lines. */
function describeRun(command: string, key: string): string {
  return command.includes('\n') && key !== '' ? firstLine(key) : firstLine(command)
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
