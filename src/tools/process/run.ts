// The tool `run`: a shell command in the workspace, with a time limit and bounded output.
// Limits of long output: what the log keeps, and the head and tail that a model sees
import { existsSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { z } from 'zod'
import type { Tool, ToolOutcome } from '../../core/agent/frame.ts'
import { PrecisError } from '../../core/errors.ts'
import type { Json } from '../../core/text/json.ts'
import type { ToolStatus } from '../../core/view/content.ts'
import { cutHead, cutTail } from '../../core/window/tokens/weigh.ts'
import { commandText, defineTool, textField } from '../define-tool.ts'
import { isErrno } from '../files/file-errors.ts'
import type { Workspace } from '../workspace.ts'
import { commandEnvironment, type Environment } from './environment.ts'
import { type CommandEnd, runCommand } from './process-group.ts'

export interface RunOptions {
  readonly limits?: OutputLimits
  readonly environment?: Environment // default: that of this process
  /** Names of variables that commands see besides the usual ones; `*` stands for anything. */
  readonly passedVariables?: readonly string[]
  /** Names that no star in those means, beside the providers' keys. */
  readonly hiddenVariables?: readonly string[]
  readonly defaultTimeoutMs?: number
  readonly maxTimeoutMs?: number
  /** Between the request to end and the end by force. */
  readonly graceMs?: number
  /** How long what the command left in the background may still write, once it has ended. */
  readonly settleMs?: number
}

const DEFAULTS = {
  defaultTimeoutMs: 120_000,
  maxTimeoutMs: 1_800_000,
  graceMs: 2_000,
  settleMs: 100,
}
const PROGRESS_CHARS = 2_000
const SHELLS = ['/bin/bash', '/usr/bin/bash', '/bin/sh']

export function runTool(workspace: Workspace, options: RunOptions = {}): Tool {
  const { defaultTimeoutMs, maxTimeoutMs, graceMs, settleMs } = { ...DEFAULTS, ...options }
  const { limits = OUTPUT_LIMITS, environment = process.env } = options
  const { passedVariables: passed = [], hiddenVariables: hidden = [] } = options
  const shell = SHELLS.find((path) => existsSync(path)) ?? '/bin/sh'
  return defineTool({
    name: 'run',
    description:
      'Runs a shell command in the root of the workspace and gives its output and exit code. There is no input and no terminal. What it leaves running in the background is ended with it.',
    effect: 'run',
    isParallel: false,
    input: z.strictObject({
      command: commandText().min(1).describe('The command, as for a shell.'),
      timeoutMs: z
        .int()
        .min(1)
        .max(maxTimeoutMs)
        .optional()
        .describe(`When to end it. Default ${defaultTimeoutMs}.`),
    }),
    // As it is, line ends included: approval reads it as the shell will.
    subject: (fields) => textField(fields, 'command'),
    async run({ command, timeoutMs = defaultTimeoutMs }, { signal, onProgress }) {
      const output = new HeadAndTail(limits.keptChars)
      const end = await runCommand({
        shell,
        command,
        folder: workspace.root,
        environment: commandEnvironment(environment, workspace.root, { passed, hidden }),
        timeoutMs,
        graceMs,
        settleMs,
        signal,
        onOutput(text) {
          output.add(text)
          if (text !== '') onProgress?.(cutTail(text, PROGRESS_CHARS))
        },
      }).catch((error: unknown) => {
        throw isErrno(error) ? notStarted(error) : error
      })
      return limitedOutcome(
        {
          status: readStatus(end),
          text: stripVTControlCharacters(output.toString()).replace(/\n+$/, ''),
          ending: describeEnd(end, timeoutMs),
          metadata: readMetadata(end),
        },
        limits,
      )
    },
  })
}

function readStatus({ endedFor, exitCode }: CommandEnd): 'completed' | 'failed' | 'aborted' {
  if (endedFor === 'abort') return 'aborted'
  return endedFor === undefined && exitCode === 0 ? 'completed' : 'failed'
}

function readMetadata({ stillRunning, ...end }: CommandEnd): Json {
  return stillRunning ? { ...end, stillRunning: [...stillRunning] } : { ...end }
}

function describeEnd(end: CommandEnd, timeoutMs: number): string {
  const { exitCode, signalName, endedFor, leftOthers, stillRunning } = end
  const why = {
    timeout: `ended after ${count(timeoutMs)} ms, its time limit`,
    abort: 'aborted',
    itself: exitCode === undefined ? `ended by ${signalName}` : `exit code ${exitCode}`,
  }[endedFor ?? 'itself']
  if (stillRunning)
    return `[${why}; it left processes that could not be ended: ${stillRunning.join(', ')}]`
  return `[${why}${leftOthers ? '; what it left in the background was ended' : ''}]`
}

function notStarted(error: NodeJS.ErrnoException): PrecisError {
  return new PrecisError('file-unreadable', `The command was not started: ${error.message}.`, {
    hint:
      error.code === 'E2BIG'
        ? 'It is too long: write a script and run that.'
        : 'Check that the workspace directory exists.',
    cause: error,
  })
}

/**
 * Collects a text of any length in bounded memory: its beginning, its end, and how much was
 * between.
 */
class HeadAndTail {
  readonly #endChars: number // of each end
  #head = ''
  #tail: string[] = []
  #tailChars = 0
  #chars = 0

  constructor(maxChars: number) {
    this.#endChars = Math.floor(maxChars / 2)
  }

  add(text: string): void {
    this.#chars += text.length
    // Once something went to the tail, nothing may follow the head.
    const head = this.#tailChars === 0 ? cutHead(text, this.#endChars - this.#head.length) : ''
    this.#head += head
    this.#addToTail(text.slice(head.length))
  }

  toString(): string {
    const tail = cutTail(this.#tail.join(''), this.#endChars)
    const between = this.#chars - this.#head.length - tail.length
    return between === 0 ? this.#head + tail : `${this.#head}\n${notKept(between)}\n${tail}`
  }

  #addToTail(text: string): void {
    if (text === '') return
    this.#tail.push(text)
    this.#tailChars += text.length
    // Only now and then, so that each character is copied a few times at most.
    if (this.#tailChars <= 2 * this.#endChars + text.length) return
    this.#tail = [cutTail(this.#tail.join(''), this.#endChars)]
    this.#tailChars = this.#tail[0]?.length ?? 0
  }
}

export interface OutputLimits {
  readonly shownChars: number // what a model sees of one result
  readonly lineChars: number // of one line of it
  readonly keptChars: number // what the log keeps
}

export const OUTPUT_LIMITS: OutputLimits = {
  shownChars: 20_000,
  lineChars: 2_000,
  keptChars: 4_000_000,
}

export interface LimitedText {
  readonly whole: string
  /** Absent if the whole is short enough. */
  readonly shown?: string
}

export interface Output {
  readonly status: ToolStatus
  readonly text: string
  /** A last line that is always shown. */
  readonly ending?: string
  readonly metadata?: Json
}

export function limitedOutcome(output: Output, limits: OutputLimits): ToolOutcome {
  const { whole, shown } = limitOutput(output.text, limits)
  const closed = (text: string) =>
    [text, output.ending ?? ''].filter((part) => part !== '').join('\n')
  return {
    status: output.status,
    content: [{ type: 'text', text: closed(whole) }],
    ...(shown !== undefined && { shown: [{ type: 'text', text: closed(shown) }] }),
    ...(output.metadata !== undefined && { metadata: output.metadata }),
  }
}

/** Room for the line that says what is left out. */
const NOTE_CHARS = 120
const LEAST_SHOWN_CHARS = 3 * NOTE_CHARS

export function limitOutput(text: string, limits: OutputLimits): LimitedText {
  const whole = text.length <= limits.keptChars ? text : keepEnds(text, limits.keptChars)
  const shown = showEnds(whole, Math.max(limits.shownChars, LEAST_SHOWN_CHARS), limits.lineChars)
  return { whole, ...(shown !== whole && { shown }) }
}

/** A line cut to its beginning, saying how much more of it there is. */
export function limitLine(line: string, maxChars: number): string {
  if (line.length <= maxChars) return line
  const head = cutHead(line, maxChars)
  return `${head}… [${count(line.length - head.length)} more characters in this line]`
}

/** What stands where something was left out of what is kept; `chars` were never kept. */
function notKept(chars: number): string {
  return `[… ${count(chars)} characters left out here and not kept …]`
}

export function count(number: number): string {
  return number.toLocaleString('en-US')
}

function keepEnds(text: string, maxChars: number): string {
  const head = cutHead(text, maxChars / 2)
  const tail = cutTail(text, maxChars / 2)
  return `${head}\n${notKept(text.length - head.length - tail.length)}\n${tail}`
}

/** Whole lines from both ends, each cut to a length of which several fit. */
function showEnds(text: string, maxChars: number, lineChars: number): string {
  const longest = Math.min(lineChars, Math.floor(maxChars / 3) - NOTE_CHARS / 2)
  const lines = text.split('\n').map((line) => limitLine(line, longest))
  const total = measureLength(lines)
  if (total <= maxChars) return lines.join('\n')
  const room = maxChars - NOTE_CHARS
  const head = fitting(lines, room / 2)
  const tail = fitting(lines.toReversed(), room - measureLength(lines.slice(0, head)))
  const last = lines.length - tail
  const leftOut = lines.slice(head, last)
  return [
    ...lines.slice(0, head),
    `[… ${count(leftOut.length)} lines, ${count(measureLength(leftOut))} characters left out …]`,
    ...lines.slice(last),
  ].join('\n')
}

/** How many lines from the start fit. */
function fitting(lines: readonly string[], maxChars: number): number {
  let used = 0
  const end = lines.findIndex((line) => {
    used += line.length + 1
    return used > maxChars
  })
  return end === -1 ? lines.length : end
}

function measureLength(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0)
}
