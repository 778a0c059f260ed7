// A shell command with its result: its effects, its output's evidence, and the shell's folder afterwards.
import type { Fields, Json } from '../../text/json.ts'
import { listIn, textIn } from '../call-fields.ts'
import { carryOut, told } from '../carry-out.ts'
import { noteListing, noteStatus } from '../evidence.ts'
import { FileWork, type Place } from '../file-work.ts'
import type { Intent } from '../intent.ts'
import type { FileOperation, Step } from '../operation.ts'
import { fromRoot, resolvePath } from '../path-text.ts'
import type { Ledger } from '../records.ts'
import { noteCommand, noteUnclear } from '../running.ts'
import { noteLandings } from './landings.ts'
import { type CommandEnd, doneSteps } from './outcome.ts'
import type { Sight } from './undone.ts'

export function settleShell(
  ledger: Ledger,
  intent: Extract<Intent, { kind: 'shell' }>,
  end: CommandEnd,
  seq: number,
): Ledger {
  const begins = findStart(ledger, intent)
  const done = runSteps(ledger, intent.steps, begins, end, seq)
  const placed = intent.persists ? leftIn(ledger, done.place) : ledger
  const after = { ...placed, tree: done.tree }
  const noted = done.isUnclear ? noteUnclear(after, intent.command, seq) : after
  return noteLandings(noteCommand(noted, intent, end, seq), intent.command, end, seq, done)
}

function leftIn(ledger: Ledger, { folder, folderName }: Place): Ledger {
  const { folder: _, folderName: __, ...rest } = ledger
  return {
    ...rest,
    ...(folder !== undefined && { folder }),
    ...(folderName !== undefined && { folderName }),
  }
}

function findStart(
  ledger: Ledger,
  { folder, persists }: Extract<Intent, { kind: 'shell' }>,
): Place {
  const root = ledger.root === undefined ? {} : { root: ledger.root }
  if (folder !== undefined) return { ...root, folder, folderName: folder }
  if (!persists) return { ...root, folder: '' }
  return {
    ...root,
    folder: ledger.folder,
    ...(ledger.folderName !== undefined && { folderName: ledger.folderName }),
  }
}

interface Done extends Pick<Sight, 'isHere' | 'isGitAlone'> {
  readonly tree: Ledger['tree']
  readonly place: Place
  readonly isUnclear: boolean
}

function runSteps(
  ledger: Ledger,
  steps: readonly Step[],
  begins: Place,
  end: CommandEnd,
  seq: number,
): Done {
  const work = new FileWork(ledger.tree, seq)
  const outer: Place[] = []
  let place = begins
  let [isUnclear, isOut, isLost] = [false, false, false]
  const done = doneSteps(steps, end)
  for (const { step, operations, isUnclear: isStepUnclear } of done) {
    if (step.shell === 'begin') outer.push(place)
    if (step.shell === 'end') place = outer.pop() ?? place
    isUnclear ||= isStepUnclear
    if (step.program === 'git') {
      isOut ||= isOutside(place)
      isLost ||= place.folder === undefined
    }
    for (const operation of operations) {
      if (operation.op === 'cd') place = placeAfter(place, operation)
      else if (isEmptyStash(operation, end)) continue
      else if (!carryOut(work, told(operation, end.text, undefined), place)) isUnclear = true
    }
  }
  const printing = done.filter(({ step }) => !SILENT.has(step.program))
  const shows = printing.length === 1 && printing[0]?.hasWorked ? printing[0].step.shows : undefined
  const lastAt = ledger.tree.statusAt
  const isSince =
    lastAt !== undefined && (isUnclear || ledger.unclear.some(({ at }) => at > lastAt))
  if (shows?.kind === 'paths') noteListing(work, end.output, shows, place)
  if (shows?.kind === 'status') noteStatus(work, end.output, place, isSince)
  if (isHalfDone(steps, end)) {
    isUnclear = true
    noteStatus(work, end.output.slice(end.output.indexOf('On branch ')), place, true)
  }
  if (shows?.kind === 'branch' && /^\S{1,200}$/.test(end.output))
    work.tree = { ...work.tree, branch: end.output }
  if (!isOut && steps.some(({ program }) => program === 'git')) noteBranch(work, end.output)
  const isGitAlone = steps.every(({ program }) => SILENT.has(program) || BESIDE_GIT.has(program))
  return { tree: work.tree, place, isUnclear, isHere: !isOut && !isLost, isGitAlone }
}

/** A conflicting stash is applied as far as possible; git then lists the changes. */
function isHalfDone(steps: readonly Step[], { isFailed, output }: CommandEnd): boolean {
  const hasConflict = /^CONFLICT /m.test(output) && output.includes('On branch ')
  return (
    isFailed &&
    hasConflict &&
    steps.some(({ operations }) => operations.some(({ op }) => op === 'git-unstash'))
  )
}

/** Without changes it succeeds and stashes nothing. */
function isEmptyStash({ op }: FileOperation, { output }: CommandEnd): boolean {
  return op === 'git-stash' && output.includes('No local changes to save')
}

/** They print nothing on success. */
const SILENT = new Set(['cd', 'mkdir', 'export', 'set', 'touch', 'true', 'rm', 'mv', 'cp', ''])

/** Their output cannot be mistaken for git's, or passes it on. */
const BESIDE_GIT = new Set(['git', 'echo', 'printf', 'head', 'tail'])

/** Another working tree has another branch. */
function isOutside({ folder }: Place): boolean {
  return folder !== undefined && /^(?:\.\.(?:\/|$)|\/|[A-Za-z]:)/.test(folder)
}

/** `[main 1a2b3c4] message` is what a commit prints. */
function noteBranch(work: FileWork, output: string): void {
  const found = /^\[(\S{1,200})(?: \(root-commit\))? [0-9a-f]{7,40}\] /m.exec(
    output.slice(0, 4_000),
  )
  if (found?.[1] !== undefined && found[1] !== 'detached')
    work.tree = { ...work.tree, branch: found[1] }
}

function placeAfter(place: Place, { path, stack }: Extract<FileOperation, { op: 'cd' }>): Place {
  const { pushed = [], ...here } = place
  if (stack === 'pop') return { ...(pushed.at(-1) ?? moved(here, '')), pushed: pushed.slice(0, -1) }
  return { ...moved(here, path.name), pushed: stack === 'push' ? [...pushed, here] : pushed }
}

function moved(place: Place, name: string): Place {
  const { before, ...left } = place
  const root = place.root === undefined ? {} : { root: place.root }
  if (name === '-' && before !== undefined) return { ...before, before: left }
  const isKnown = place.folder !== undefined || /^[/~]/.test(name)
  if (name === '' || name === '-' || !isKnown) return { ...root, folder: undefined, before: left }
  const folder = fromRoot(place.root, resolvePath(place.folder ?? '', name))
  return { ...root, folder, folderName: name, before: left }
}

export function settlePoll(
  ledger: Ledger,
  { id, isEnd }: Extract<Intent, { kind: 'poll' }>,
  end: CommandEnd,
  seq: number,
): Ledger {
  const running = ledger.background.find((command) => command.id === id)
  if (running === undefined) return ledger
  const isOver =
    isEnd || end.exitCode !== undefined || /<status>(?!running)\w+<\/status>/.test(end.text)
  if (!isOver) return ledger
  const background = ledger.background.filter((command) => command !== running)
  const after = { ...ledger, background }
  return isEnd
    ? after
    : noteCommand(
        after,
        { command: running.command, key: running.command, isTest: false },
        end,
        seq,
      )
}

const NOTICE = /<task-notification>([\s\S]{1,4000}?)<\/task-notification>/g

/** A background process reports its end in a separate message. */
export function settleNotices(ledger: Ledger, text: () => string, seq: number): Ledger {
  if (ledger.background.length === 0) return ledger
  let after = ledger
  for (const [, notice = ''] of text().matchAll(NOTICE)) {
    const id = /<task-id>\s*(\w{1,100})\s*<\/task-id>/.exec(notice)?.[1]
    const status = /<status>\s*(\w+)\s*<\/status>/.exec(notice)?.[1]
    if (id === undefined || status === undefined || status === 'running') continue
    const output = /<summary>([\s\S]*?)<\/summary>/.exec(notice)?.[1]?.trim() ?? ''
    const exitCode = /\(exit code (\d{1,3})\)/.exec(output)?.[1]
    const isFailed = status === 'failed' || (exitCode !== undefined && exitCode !== '0')
    const code = exitCode === undefined ? {} : { exitCode: Number(exitCode) }
    const end = { ...code, isFailed, output, text: notice }
    after = settlePoll(
      after,
      { kind: 'poll', id, ...(status === 'killed' && { isEnd: true as const }) },
      end,
      seq,
    )
  }
  return after
}

/** A command as one text, several texts, or a list of words. */
export function commandIn(fields: Fields, input: Json): string | undefined {
  if (typeof input === 'string') return input
  const text = textIn(fields, 'command', 'cmd', 'script', 'code')
  if (text !== undefined) return text
  const several = listIn(fields, 'commands')
  if (several !== undefined) return several.filter(isText).join('\n')
  const words = listIn(fields, 'command', 'cmd')?.filter(isText)
  if (words === undefined) return undefined
  const [program = '', option = '', script] = words
  if (/(?:^|\/)(?:ba|z|da)?sh$/.test(program) && /^-[a-z]*c$/.test(option)) return script
  return words.map(quoted).join(' ')
}

function isText(json: Json): json is string {
  return typeof json === 'string'
}

function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
