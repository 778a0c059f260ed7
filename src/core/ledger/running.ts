// Commands, test runs and errors: the last outcome of each, and open failures
import { cutHead, cutTail } from '../window/tokens/cut.ts'
import type { Intent, OpenCall } from './intent.ts'
import type { Ledger, OpenError, TestRun } from './records.ts'
import type { CommandEnd } from './shell/outcome.ts'
import { testSummary } from './test-runner.ts'

const MOST_COMMANDS = 80
const MOST_TESTS = 20
const MOST_ERRORS = 20
const MOST_UNCLEAR = 20
const MOST_BACKGROUND = 20
const LINE_CHARS = 300

type Command = Pick<Extract<Intent, { kind: 'shell' }>, 'command' | 'key' | 'isTest'>

export function noteCommand(
  ledger: Ledger,
  command: Command,
  end: CommandEnd,
  seq: number,
): Ledger {
  const started = backgroundId(end.output)
  if (started !== undefined) {
    const background = [...ledger.background, { id: started, command: command.command, at: seq }]
    return { ...ledger, background: background.slice(-MOST_BACKGROUND) }
  }
  const { key } = command
  const record = {
    key,
    command: command.command,
    isFailed: end.isFailed,
    ...(end.exitCode !== undefined && { exitCode: end.exitCode }),
    lastLine: cutHead(lastLine(end.output), LINE_CHARS),
    at: seq,
  }
  const others = ledger.commands.filter((other) => other.key !== key)
  const noted = { ...ledger, commands: [...others, record].slice(-MOST_COMMANDS) }
  const tested = command.isTest ? noteTests(noted, key, end, seq) : noted
  // To look for what is not there, and to compare what differs, is not an error to be repaired.
  const isLooking = LOOKS.test(key)
  if (!end.isFailed) return withoutSolved(tested, key)
  return isLooking
    ? tested
    : withError(tested, { tool: 'command', subject: key, line: tellingLine(end.output), at: seq })
}

const LOOKS =
  /^(?:ls|cat|head|tail|find|sed -n|wc|stat|grep|egrep|rg|ag|test|\[|\[\[|diff|cmp|which|command|false|git diff|git grep|git show|git log)(?: |$)/

/** What now runs beside the conversation, by the name that the tool gave it. */
function backgroundId(output: string): string | undefined {
  const head = output.slice(0, 600)
  const found =
    /running in (?:the )?background with ID: (\w{1,100})/i.exec(head) ??
    /Process running with session ID (\d{1,20})/.exec(head) ??
    /<command started in (?:background|detached shell) with shellId: (\w{1,100})>/.exec(head)
  return found?.[1]
}

function noteTests(ledger: Ledger, key: string, end: CommandEnd, seq: number): Ledger {
  const summary = testSummary(end.output)
  const isFailed = end.isFailed || (summary?.failed ?? 0) > 0
  const run: TestRun = {
    key,
    isFailed,
    ...summary,
    failures: isFailed ? (summary?.failures ?? []) : [],
    at: seq,
  }
  const runner = runnerOf(key)
  // A run of everything that works says it of its parts.
  const others = ledger.tests.filter(
    (other) =>
      other.key !== key && (isFailed || !(isPartOf(other.key, key) || isWhole(key, runner, other))),
  )
  return { ...ledger, tests: [...others, run].slice(-MOST_TESTS) }
}

/** The same run, narrowed. */
function isPartOf(key: string, whole: string): boolean {
  return key.startsWith(`${whole} `)
}

function isWhole(key: string, runner: string, other: TestRun): boolean {
  return withoutToolchain(key) === runner && runnerOf(other.key) === runner
}

/** `cargo +1.90 test` is `cargo test`. */
function withoutToolchain(key: string): string {
  return key.replace(/^cargo \+\S+ /, 'cargo ')
}

/** The command up to what it is narrowed to. */
function runnerOf(key: string): string {
  const words = withoutToolchain(key).split(' ')
  const end = words.findIndex((word, at) => at > 0 && /^-|[./]/.test(word))
  return (end < 0 ? words : words.slice(0, end)).join(' ')
}

export function noteError(ledger: Ledger, call: OpenCall, end: CommandEnd, seq: number): Ledger {
  const { name, subject } = call
  return withError(ledger, { tool: name, subject, line: tellingLine(end.output), at: seq })
}

function withError(ledger: Ledger, error: OpenError): Ledger {
  const { errors } = withoutError(ledger, error.subject)
  return { ...ledger, errors: [...errors, error].slice(-MOST_ERRORS) }
}

/** Whatever tool it was that failed: what it was about works now. */
export function withoutError(ledger: Ledger, subject: string): Ledger {
  const errors = ledger.errors.filter((error) => error.subject !== subject)
  return errors.length === ledger.errors.length ? ledger : { ...ledger, errors }
}

/** What works again: the same command, or another use of the same program and subcommand. */
function withoutSolved(ledger: Ledger, key: string): Ledger {
  const program = programOf(key)
  const errors = ledger.errors.filter(
    ({ tool, subject }) =>
      subject !== key && (tool !== 'command' || program === '' || programOf(subject) !== program),
  )
  return errors.length === ledger.errors.length ? ledger : { ...ledger, errors }
}

const WITH_SUBCOMMANDS = new Set(
  'git gh npm pnpm yarn bun npx bunx cargo go docker kubectl make uv poetry pip dotnet mvn gradle mise'.split(
    ' ',
  ),
)

/** Without the folder it lies in; with its subcommand where it has some. */
function programOf(key: string): string {
  const [first = '', ...rest] = withoutToolchain(key).split(' ')
  const program = first.replace(/["']/g, '').replace(/^.*\//, '')
  if (!WITH_SUBCOMMANDS.has(program)) return program
  const words = rest.filter((word) => !word.startsWith('-'))
  return [program, ...words.slice(0, words[0] === 'run' || words[0] === 'exec' ? 2 : 1)].join(' ')
}

/** The line that says what is wrong; without one that looks like it, the last. */
function tellingLine(output: string): string {
  const tail = cutTail(output, 20_000).split('\n')
  const found = tail.findLast(
    (line) =>
      line.length < 1_000 &&
      /\b(?:error|fail(?:ed|ure)?|fatal|cannot|exception|not found|denied|no such file)\b/i.test(
        line,
      ),
  )
  return cutHead((found ?? lastLine(output)).trim(), LINE_CHARS)
}

export function noteUnclear(ledger: Ledger, command: string, seq: number): Ledger {
  const line = cutHead(command, LINE_CHARS)
  const others = ledger.unclear.filter((other) => other.command !== line)
  return { ...ledger, unclear: [...others, { command: line, at: seq }].slice(-MOST_UNCLEAR) }
}

/** The last line that is no frame and not empty: mostly it says what went wrong, or how many did. */
function lastLine(output: string): string {
  const at = output.lastIndexOf('\n')
  return (at < 0 ? output : output.slice(at + 1)).trim()
}
