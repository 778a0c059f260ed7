// The io of a command: streams, environment, directory, signals. Only this file of the command reads `process`.
import type { Command } from 'commander'
import type { EndingProcess } from '../tui/screen/restore-terminal.ts'
import type { Environment } from './settings/places.ts'

export interface Input extends NodeJS.ReadableStream {
  readonly isTTY?: boolean
}

export interface Output extends NodeJS.WritableStream {
  readonly isTTY?: boolean
  readonly columns?: number
}

/** Passed on by every command: the last argument, or the first if the last is a function. */
export interface Io {
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  readonly environment: Environment
  /** The working directory: base of relative paths. */
  readonly cwd: string
  /** The script Node was started with. */
  readonly script: string
  /** The running Node; absent in tests that start nothing. */
  readonly node?: string
  /** Signals, warnings and uncaught errors. */
  readonly host: EndingProcess
}

export function processIo(): Io {
  const { stdin, stdout, stderr, env: environment, argv } = process
  // A reader that goes away must not cause a stack trace; the writes themselves report errors.
  for (const stream of [stdout, stderr])
    if (stream.listenerCount('error', ignore) === 0) stream.on('error', ignore)
  return {
    stdin,
    stdout,
    stderr,
    environment,
    cwd: process.cwd(),
    script: argv[1] ?? '',
    node: process.execPath,
    host: process,
  }
}

function ignore(): void {
  // Each write has its own callback.
}

/** Adds arguments, options, help and action to each command. */
export type Definitions = Readonly<Record<string, (command: Command, io: Io) => void>>
