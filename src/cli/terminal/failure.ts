// Prints a failure: message, place and hint, or the same as JSON.

import { CommanderError } from 'commander'
import { ERROR_TABLE } from '../../core/error-table.ts'
import { asPrecisError, PrecisError } from '../../core/errors.ts'
import { escapeSteering, printableJson } from '../../core/text/visible.ts'
import { type Secret, secretsOf } from '../../redact/known.ts'
import { redact } from '../../redact/redact.ts'
import { redactValues } from '../../redact/redact-values.ts'
import type { Io } from '../process-io.ts'
import { asTyped, programName } from '../program-name.ts'
import { unwritable, writeStream } from './io.ts'

/** Prints the failure to standard error and returns the exit code. `command` is the one that ran. */
export async function tellFailure(
  thrown: unknown,
  json: boolean,
  command: string | undefined,
  io: Io,
): Promise<1 | 2> {
  const error = classifyFailure(thrown, command)
  const { environment, stderr } = io
  await writeStream(stderr, printFailure(error, json, secretsOf(environment), programName(io)))
  return ERROR_TABLE[error.code].exit
}

/** Converts anything a command throws to a PrecisError. */
export function classifyFailure(thrown: unknown, command?: string): PrecisError {
  if (thrown instanceof CommanderError) return usageError(thrown, command)
  return isOfFile(thrown) ? unwritable(thrown.path, thrown) : asPrecisError(thrown)
}

/** Disk and permission errors are not our bugs. */
const OF_DISK = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR', 'EEXIST'])

function isOfFile(thrown: unknown): thrown is NodeJS.ErrnoException & { readonly path: string } {
  if (PrecisError.is(thrown) || !(thrown instanceof Error)) return false
  const { code = '', path } = thrown as NodeJS.ErrnoException
  return OF_DISK.has(code) && typeof path === 'string'
}

/** Redacted, because terminals end in logs. */
export function printFailure(
  error: PrecisError,
  json: boolean,
  secrets: readonly Secret[],
  program: string,
): string {
  const { code, message, where, details } = error
  const hint = error.hint === undefined ? undefined : asTyped(error.hint, program)
  if (json) {
    const told = { error: { code, message, where, hint, details } }
    return `${printableJson(redactValues(told, secrets).value)}\n`
  }
  const lines = [`precis: ${code === 'internal' ? `this is a bug: ${message}` : message}`]
  if (where !== undefined && !message.includes(where)) lines.push(`  where: ${where}`)
  if (hint !== undefined) lines.push(`  hint: ${hint}`)
  if (code === 'internal' && error.cause instanceof Error) lines.push(error.cause.stack ?? '')
  return `${escapeSteering(redact(lines.join('\n'), secrets).text)}\n`
}

/** `error: unknown option '--outptu'\n(Did you mean --out?)` */
function usageError({ code, message }: CommanderError, command?: string): PrecisError {
  const [line = '', suggestion] = message.replace(/^error: /, '').split('\n')
  // The following list of arguments may contain an address with a password.
  const first =
    code === 'commander.excessArguments' ? line.replace(/(but got \d+):.*/, '$1.') : line
  const help = `See precis ${command === undefined ? '' : `${command} `}--help.`
  return new PrecisError('usage', first, {
    hint: suggestion?.replace(/^\((.*)\)$/, '$1') ?? help,
  })
}
