// The steps of a shell command that ran and succeeded, from its exit and output.

import type { FileOperation, Step } from '../operation.ts'
import { baseName } from '../path-text.ts'

export interface CommandEnd {
  /** Undefined if the result does not say; then its status counts. */
  readonly exitCode?: number
  readonly isFailed: boolean
  readonly output: string // without the tool's frame
  readonly text: string // with it
}

export interface DoneStep {
  readonly step: Step
  /** Those that happened. */
  readonly operations: readonly FileOperation[]
  readonly hasWorked: boolean
  /** It may have had unknown effects. */
  readonly isUnclear: boolean
}

type Answer = 'yes' | 'no' | 'unknown'

/** Programs that print an error when they fail; others may fail silently. */
const ANNOUNCES = new Set(
  'cat head tail nl less more sed cp mv rm mkdir rmdir touch tee cd pushd popd ln chmod git echo printf true export set pwd ls truncate unlink perl'.split(
    ' ',
  ),
)
const SCANNED_CHARS = 20_000
const MOST_ERRORS = 50
const FAILS =
  /No such file|cannot |can't |Permission denied|Is a directory|Not a directory|not found|File exists|missing |invalid |unrecognized |usage:|fatal:|error:|unterminated|unknown |not removed|omitting directory|are the same file/i

export function doneSteps(steps: readonly Step[], end: CommandEnd): DoneStep[] {
  const errors = errorLines(end.output, steps)
  const last = steps.findLastIndex(({ shell }) => shell === undefined)
  // Joined only by `&&`, the line succeeds only if each command does.
  const isChain = steps.every(({ joint }, at) => at === 0 || joint === '&&' || joint === '|')
  let before: Answer = 'yes'
  let runs: Answer = 'yes'
  return steps.map((step, at) => {
    if (step.shell !== undefined) return undone(step, false)
    runs = runsAfter(step, before, runs)
    const failed = errors.filter((line) => isOf(line, step))
    const worked = workedOut(step, {
      runs,
      hasErrors: failed.length > 0,
      isLast: at === last,
      isPiped: steps[at + 1]?.joint === '|',
      isChain,
      end,
    })
    if (runs !== 'no') before = worked
    return doneStep(step, { runs, worked, failed, errors })
  })
}

interface Verdict {
  readonly runs: Answer
  readonly worked: Answer
  readonly failed: readonly string[] // separate lines
  readonly errors: readonly string[]
}

function doneStep(step: Step, { runs, worked, failed, errors }: Verdict): DoneStep {
  if (runs === 'no') return undone(step, false)
  if (runs === 'unknown' || step.isMaybe) {
    const isChanging = step.operations.some(changes) || step.opened.length > 0
    return undone(step, isChanging || step.isUnclear === true)
  }
  const opened = step.opened.filter((operation) => !names(errors, operation))
  const operations = step.operations.filter((operation) => !names(failed, operation))
  const isDone = worked === 'yes' || (worked === 'no' && failed.length > 0 && isByPath(step))
  return {
    step,
    operations: isDone ? [...opened, ...operations] : opened,
    hasWorked: worked === 'yes',
    isUnclear: step.isUnclear === true || (worked === 'unknown' && step.operations.some(changes)),
  }
}

function undone(step: Step, isUnclear: boolean): DoneStep {
  return { step, operations: [], hasWorked: false, isUnclear }
}

function runsAfter({ joint }: Step, before: Answer, runs: Answer): Answer {
  if (joint === '|') return runs
  if (joint === '&&') return before
  if (joint !== '||') return 'yes'
  if (before === 'unknown') return 'unknown'
  return before === 'yes' ? 'no' : 'yes'
}

function workedOut(
  { program, isMuted }: Step,
  known: {
    readonly runs: Answer
    readonly hasErrors: boolean
    readonly isLast: boolean
    readonly isPiped: boolean
    readonly isChain: boolean
    readonly end: CommandEnd
  },
): Answer {
  const { runs, hasErrors, isLast, isPiped, isChain, end } = known
  if (runs !== 'yes' && !isChain) return runs === 'no' ? 'no' : 'unknown'
  // Not all tools report the exit; without it the output decides.
  const isTold = end.exitCode !== undefined || !hasErrors
  if (!end.isFailed && isTold && !isPiped && (isLast || isChain)) return 'yes'
  if (hasErrors) return 'no'
  if (runs === 'unknown') return 'unknown'
  // The last command determines the exit of the line; in a pipe the last of its commands.
  if (isLast && end.isFailed) return 'no'
  return (ANNOUNCES.has(program) && !isMuted) || program === '' ? 'yes' : 'unknown'
}

/** Error lines of these programs or of the shell. */
function errorLines(output: string, steps: readonly Step[]): string[] {
  const speakers = new Set(['fatal', 'error', 'bash', 'sh', 'zsh', 'dash'])
  for (const { program } of steps) speakers.add(program)
  const tail = output.length > SCANNED_CHARS ? output.slice(-SCANNED_CHARS) : ''
  const found: string[] = []
  for (const line of `${output.slice(0, SCANNED_CHARS)}\n${tail}`.split('\n')) {
    if (line.length > 500 || !speakers.has(findSpeaker(line))) continue
    if (FAILS.test(line) && found.length < MOST_ERRORS) found.push(line)
  }
  return found
}

/** The program that prints it. Perl omits its name. */
function findSpeaker(line: string): string {
  if (line.startsWith("Can't open ")) return 'perl'
  return baseName(line.slice(0, Math.max(0, line.indexOf(': '))))
}

/** `rm: cannot remove 'x'`, `bash: line 1: x: No such file`, `fatal:` of git. */
function isOf(line: string, { program, opened }: Step): boolean {
  if (program === 'git' && /^(?:fatal|error):/.test(line)) return true
  if (program !== '' && findSpeaker(line) === program) return true
  const ofShell = /^(?:\S*\/)?(?:ba|z|da)?sh: (?:line \d+: |\d+: )?/.exec(line)
  if (ofShell === null) return false
  const rest = line.slice(ofShell[0].length)
  return rest.startsWith(`${program}: `) || opened.some((operation) => names([rest], operation))
}

/** Continues with the other paths after an error. */
function isByPath({ program }: Step): boolean {
  return ['cat', 'head', 'tail', 'rm', 'cp', 'mv', 'touch', 'mkdir', 'sed', 'chmod'].includes(
    program,
  )
}

function names(lines: readonly string[], operation: FileOperation): boolean {
  if (!('path' in operation)) return lines.length > 0
  const { name } = operation.path
  return lines.some(
    (line) =>
      line.includes(`'${name}'`) || line.includes(` ${name}:`) || line.startsWith(`${name}:`),
  )
}

function changes({ op }: FileOperation): boolean {
  return op !== 'read' && op !== 'cd'
}
