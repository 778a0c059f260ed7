// Commands, test runs and errors: the last outcome of each, and open failures
import type { Json } from '../text/json.ts'
import type { Block, ToolResult } from '../view/content.ts'
import { cutHead, cutTail } from '../window/tokens/cut.ts'
import { type Intent, type OpenCall, readFields } from './intent.ts'
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

/** More is not looked at: it is the ends of an output that tell. */
const HEAD_CHARS = 150_000
const TAIL_CHARS = 150_000
const NEAR_ENDS_CHARS = 600

const EXIT_CODE =
  /(?:exit(?:ed)?(?: with)?(?: exit)? code:? ?|returncode>|"exit_code": ?|finished with exit code )(-?\d{1,5})\b/i
/** Lines that tools put before and behind what a command printed. */
const FRAME =
  /^(?:<returncode>.*|<output>|<\/output>|Chunk ID: .*|Wall time: .*|Process exited with code .*|Process running with session ID .*|Original token count: .*|Total output lines: .*|Exit [cC]ode:? -?\d+|Output:|\[exit code -?\d+[^\]]*\]|<exited with exit code -?\d+>|Command exited with code -?\d+|\[The command completed with exit code -?\d+\.?\]|\(Open file: .*\)|\(Current directory: .*\)|bash-\$)$/

/** The text of a result without the tool's frame, and the exit of the command */
export function textOfBlocks(blocks: readonly Block[]): string {
  let text = ''
  for (const block of blocks) {
    if (block.text === undefined) continue
    text = text === '' ? block.text : `${text}\n${block.text}`
    if (text.length > HEAD_CHARS + TAIL_CHARS) break
  }
  return text.length <= HEAD_CHARS + TAIL_CHARS
    ? text
    : `${text.slice(0, HEAD_CHARS)}\n${text.slice(-TAIL_CHARS)}`
}

export function commandEnd(
  text: string,
  result: Pick<ToolResult, 'status' | 'metadata'>,
): CommandEnd {
  const exitCode = exitCodeIn(result.metadata) ?? readExitCode(text)
  return {
    ...(exitCode !== undefined && { exitCode }),
    isFailed: isFailed(result, exitCode),
    output: withoutFrame(text),
    text,
  }
}

/** The same as `isFailed` of its end, which takes the whole text apart. */
export function hasFailed(text: string, result: Pick<ToolResult, 'status' | 'metadata'>): boolean {
  if (result.status !== 'completed') return true
  return isFailed(result, exitCodeIn(result.metadata) ?? readExitCode(text))
}

function isFailed({ status }: Pick<ToolResult, 'status'>, exitCode: number | undefined): boolean {
  return status !== 'completed' || (exitCode !== undefined && exitCode !== 0)
}

function exitCodeIn(metadata: Json | undefined): number | undefined {
  const { exitCode, exit_code: other, exit } = readFields(metadata ?? null)
  return [exitCode, other, exit].find((code) => typeof code === 'number')
}

function readExitCode(text: string): number | undefined {
  const tail = EXIT_CODE.exec(text.slice(-NEAR_ENDS_CHARS).split('\n').slice(-6).join('\n'))
  const head = EXIT_CODE.exec(text.slice(0, NEAR_ENDS_CHARS).split('\n').slice(0, 6).join('\n'))
  const code = head?.[1] ?? tail?.[1]
  return code === undefined ? undefined : Number(code)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals read their colours from them
const COLOURS = /\u001b\[[\d;]*m/g

/** Only at the ends: what is in the middle was printed. */
function withoutFrame(text: string): string {
  const lines = text.replace(COLOURS, '').split('\n')
  let start = 0
  let end = lines.length
  const isFrame = (line: string | undefined) => line !== undefined && FRAME.test(line.trimEnd())
  while (start < 8 && start < end && isFrame(lines[start])) start += 1
  while (end > start && (isFrame(lines[end - 1]) || lines[end - 1]?.trim() === '')) end -= 1
  return lines.slice(start, end).join('\n')
}

/** The last line that is no frame and not empty: mostly it says what went wrong, or how many did. */
function lastLine(output: string): string {
  const at = output.lastIndexOf('\n')
  return (at < 0 ? output : output.slice(at + 1)).trim()
}
