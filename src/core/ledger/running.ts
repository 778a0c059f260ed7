// Commands, test runs and errors: the last outcome of each, and open failures.
import { cutHead } from '../window/tokens/cut.ts'
import type { Intent, OpenCall } from './intent.ts'
import { LINE_CHARS, lastLine, tellingLine } from './output-line.ts'
import type { Ledger, OpenError, TestRun } from './records.ts'
import type { CommandEnd } from './shell/outcome.ts'
import { testSummary } from './test-runner.ts'

const MOST_COMMANDS = 80
const MOST_TESTS = 20
const MOST_ERRORS = 20
const MOST_UNCLEAR = 20
const MOST_BACKGROUND = 20

type Command = Pick<Extract<Intent, { kind: 'shell' }>, 'command' | 'key' | 'isTest' | 'behind'>

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
  const tested = command.isTest ? noteTests(noted, command, end, seq) : noted
  if (!end.isFailed) return withoutSolved(tested, command)
  const line = tellingLine(end.output)
  if (command.isTest && tested.tests.at(-1)?.isFailed === false)
    return withBehind(withoutSolved(tested, { key }), command, line, seq)
  // A search without matches, or a difference, is not an error to fix.
  return isLookingFor(key) || NOTHING_TO_COMMIT.test(`${key}\n${end.output}`)
    ? tested
    : withError(tested, { tool: 'command', subject: key, line, at: seq })
}

/** The failing part came after the tests; which one is unknown. */
function withBehind(ledger: Ledger, { command, behind = [] }: Command, line: string, at: number) {
  const own = behind.filter((key) => !isLookingFor(key))
  const subject = inOneLine(command)
  return own.length === 0
    ? ledger
    : withError(ledger, { tool: 'command', subject, behind: own, line, at })
}

function inOneLine(command: string): string {
  return cutHead(command.replace(/\s+/g, ' ').trim(), LINE_CHARS)
}

const NOTHING_TO_COMMIT = /^(?:rtk )?git (?:\S+ )*commit\b[\s\S]*^nothing (?:added )?to commit\b/m
const NOT_FOUND =
  /^(?:ls|cat|head|tail|find|sed -n|wc|stat|grep|egrep|rg|ag|test|\[|\[\[|diff|cmp|which|command|false|git diff|git grep|git show|git log)(?: |$)/

const SHOWS =
  /^(?:pwd|nl|tree|du|df|file|jq|awk|sed -n|echo|printf|env|date|whoami|ps|lsof|less|more|(?:rtk )?git (?:status|stash list|rev-parse|rev-list|check-ignore|check-attr|cat-file|describe|shortlog|merge-base|for-each-ref|worktree list|blame|fetch|ls-\w+|show-ref|diff|log|show|grep)|gh (?:pr|issue|run|repo|release|workflow) (?:view|list|diff|checks|status)|(?:docker|podman) (?:ps|images|logs|inspect)|kubectl (?:get|describe|logs))(?: |$)/

/** Listing forms of commands that can also change things. */
const LISTS =
  /^(?:rtk )?git (?:branch(?: (?:-[arvq]+|--(?:all|remotes|verbose|show-current|ignore-case|(?:no-)?color|column|(?:sort|format|abbrev|color)=\S+)))*$|branch (?:.* )?(?:-l|--list|--(?:no-)?(?:contains|merged)|--points-at)(?: |$)|remote(?: -v| --verbose)?$|remote (?:-v )?(?:show|get-url)(?: |$)|config (?:.* )?(?:-l|--list|--get\S*|list|get)(?: |$)|config(?: --(?:global|local|system|worktree))? [\w.-]+$|reflog(?: show| -\S+| [\w@{}/.-]+)?$)/
const CHANGES =
  /^find .*-(?:delete|exec|execdir|ok|okdir|fprint\w*|fls)\b|^sed -n(?: .*)? -(?:\w*i|-in-place)|^awk .*inplace|^(?:rtk )?git reflog (?:expire|delete|drop)\b/

/** Git's own options before the subcommand. */
const GIT_OPTIONS = /^((?:rtk )?git)(?: (?:-C|-c) \S+| --no-pager| -P)+(?= )/

/** Its failure only means that something is missing or differs. */
function isLookingFor(command: string): boolean {
  const key = command.replace(GIT_OPTIONS, '$1')
  return NOT_FOUND.test(key) && !CHANGES.test(key)
}

/** It only displays: its success says nothing about the work. */
export function isLookingAt(command: string): boolean {
  const key = command.replace(GIT_OPTIONS, '$1')
  return (NOT_FOUND.test(key) || SHOWS.test(key) || LISTS.test(key)) && !CHANGES.test(key)
}

/** The tool's name for a process now in the background. */
function backgroundId(output: string): string | undefined {
  const head = output.slice(0, 600)
  const found =
    /running in (?:the )?background with ID: (\w{1,100})/i.exec(head) ??
    /Process running with session ID (\d{1,20})/.exec(head) ??
    /<command started in (?:background|detached shell) with shellId: (\w{1,100})>/.exec(head)
  return found?.[1]
}

const GREEN = /^ok\s+\S+\s+(?:[\d.]+s|\(cached\))/m
const RED = /^(?:FAIL(?:\s|$)|--- FAIL: )/m
/** Files that failed to run count no tests. */
const RED_FILES = /^\s*Test (?:Suites:|Files)\s+[1-9]\d* failed/m

function noteTests(
  ledger: Ledger,
  { key, behind = [] }: Command,
  end: CommandEnd,
  seq: number,
): Ledger {
  const summary = testSummary(end.output)
  const { failed } = summary ?? {}
  const isRed =
    RED_FILES.test(end.output) || (failed === undefined ? RED.test(end.output) : failed > 0)
  const isGreen = !isRed && ((summary?.passed ?? 0) > 0 || GREEN.test(end.output))
  // The failure may come from what followed the tests.
  const isFailed = isRed || (end.isFailed && !(behind.length > 0 && isGreen))
  const run: TestRun = {
    key,
    isFailed,
    ...summary,
    failures: isFailed ? (summary?.failures ?? []) : [],
    at: seq,
  }
  const runner = readRunner(key)
  // A successful full run covers its parts.
  const others = ledger.tests.filter(
    (other) =>
      other.key !== key && (isFailed || !(isPartOf(other.key, key) || isWhole(key, runner, other))),
  )
  return { ...ledger, tests: [...others, run].slice(-MOST_TESTS) }
}

/** A narrower form of the same run. */
function isPartOf(key: string, whole: string): boolean {
  return key.startsWith(`${whole} `)
}

function isWhole(key: string, runner: string, other: TestRun): boolean {
  return withoutToolchain(key) === runner && readRunner(other.key) === runner
}

/** `cargo +1.90 test` is `cargo test`. */
function withoutToolchain(key: string): string {
  return key.replace(/^cargo \+\S+ /, 'cargo ')
}

/** The command up to its narrowing arguments. */
function readRunner(key: string): string {
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

/** Whatever tool failed, its subject works now. */
export function withoutError(ledger: Ledger, subject: string): Ledger {
  const errors = ledger.errors.filter((error) => error.subject !== subject)
  return errors.length === ledger.errors.length ? ledger : { ...ledger, errors }
}

/** What works again: the same command, or the same program and subcommand. */
function withoutSolved(
  ledger: Ledger,
  { key, command = '' }: Pick<Command, 'key'> & Partial<Command>,
): Ledger {
  // That something would work is not that it has.
  const program = / --dry-run\b/.test(key) ? '' : readProgram(key)
  const isSolved = (subject: string) =>
    subject === key || (program !== '' && readProgram(subject) === program)
  // In a chain of dependent commands all have succeeded.
  const chain = /[;\n]|\|\|/.test(command) ? '' : ` ${command} `
  const errors = ledger.errors.flatMap((error): OpenError[] => {
    const { tool, subject, behind } = error
    if (behind === undefined)
      return subject === key || (tool === 'command' && isSolved(subject)) ? [] : [error]
    const left = behind.filter((each) => !isSolved(each) && !chain.includes(` ${each} `))
    if (left.length === 0 || subject === inOneLine(command)) return []
    return [left.length === behind.length ? error : { ...error, behind: left }]
  })
  return { ...ledger, errors }
}

const WITH_SUBCOMMANDS = new Set(
  'git gh npm pnpm yarn bun npx bunx cargo go docker kubectl make uv poetry pip dotnet mvn gradle mise'.split(
    ' ',
  ),
)

/** What they run is another program each time. */
const INTERPRETERS = new Set('node tsx python python3 ruby perl php bash sh zsh'.split(' '))

/** Without its folder; with its subcommand if it has one. */
function readProgram(key: string): string {
  const [first = '', ...rest] = withoutToolchain(key).replace(GIT_OPTIONS, '$1').split(' ')
  const program = first.replace(/["']/g, '').replace(/^.*\//, '')
  if (INTERPRETERS.has(program))
    return [program, ...rest.filter((word) => !word.startsWith('-')).slice(0, 1)].join(' ')
  if (!WITH_SUBCOMMANDS.has(program)) return program
  const words = rest.filter((word) => !word.startsWith('-'))
  const isDeeper = program === 'gh' || words[0] === 'run' || words[0] === 'exec'
  return [program, ...words.slice(0, isDeeper ? 2 : 1)].join(' ')
}

export function noteUnclear(ledger: Ledger, command: string, seq: number): Ledger {
  const line = cutHead(command, LINE_CHARS)
  const others = ledger.unclear.filter((other) => other.command !== line)
  return { ...ledger, unclear: [...others, { command: line, at: seq }].slice(-MOST_UNCLEAR) }
}
