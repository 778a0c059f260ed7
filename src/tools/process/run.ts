// The tool `run`: a shell command in the workspace, with a timeout and bounded output.
import { existsSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { z } from 'zod'
import type { Tool } from '../../core/agent/tool.ts'
import { PrecisError } from '../../core/errors.ts'
import type { Json } from '../../core/text/json.ts'
import { cutHead, cutTail } from '../../core/window/tokens/cut.ts'
import { commandText, defineTool, textField } from '../define-tool.ts'
import { isErrno } from '../files/file-errors.ts'
import type { Workspace } from '../workspace.ts'
import { commandEnvironment, type Environment } from './environment.ts'
import { count, limitedOutcome, notKept, OUTPUT_LIMITS, type OutputLimits } from './limit-output.ts'
import { type CommandEnd, runCommand } from './process-group.ts'

export interface RunOptions {
  readonly limits?: OutputLimits
  readonly environment?: Environment // default: that of this process
  /** Variables passed to commands besides the usual ones; `*` is a wildcard. */
  readonly passedVariables?: readonly string[]
  /** Names no wildcard matches, besides provider keys. */
  readonly hiddenVariables?: readonly string[]
  readonly defaultTimeoutMs?: number
  readonly maxTimeoutMs?: number
  /** Time between the request to end and the kill. */
  readonly graceMs?: number
  /** How long background processes may still write after the command has ended. */
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
    // Unchanged, line ends included: approval reads it as the shell will.
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

/** Collects a text of any length in bounded memory: its start, its end, and the size of the gap. */
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
    // Once text went to the tail, the head is closed.
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
    // Trims rarely, so each character is copied only a few times.
    if (this.#tailChars <= 2 * this.#endChars + text.length) return
    this.#tail = [cutTail(this.#tail.join(''), this.#endChars)]
    this.#tailChars = this.#tail[0]?.length ?? 0
  }
}
