// The file a command works on: refused as the output, and named in every error about it.
import { PrecisError } from '../../core/errors.ts'
import type { Io } from '../process-io.ts'
import { isSameFile, isThere } from './io.ts'

export function sourceName(source: string): string {
  return source === '-' ? 'standard input' : source
}

export interface Overwriting {
  readonly option: string // that names the output
  readonly force: boolean | undefined
  readonly instead?: string // of the original
}

/**
 * The original is the only whole copy: no output may take its place. Any other file is replaced where
 * someone says so. A thread is not a file that could be overwritten: then there is no source.
 */
export async function refuseOverwriting(
  source: string | undefined,
  output: string | undefined,
  { option, force = false, instead = '' }: Overwriting,
  io: Pick<Io, 'cwd'>,
): Promise<void> {
  if (output === undefined || output === '-') return
  const refused = (message: string, hint: string) =>
    new PrecisError('usage', message, { where: option, hint: hint.trim() })
  if (output === '') throw refused(`${option} is empty`, 'Name a file; - is standard output.')
  if (source !== undefined && source !== '-' && (await isSameFile(source, output, io)))
    throw refused(
      'the output is the input',
      `Write to another file: the original is the only whole copy of the conversation. ${instead}`,
    )
  if (!force && (await isThere(output, io)))
    throw refused(
      `${output} already exists`,
      'Nothing was written. Name another file, or replace this one with --force.',
    )
}

/** Runs a reader; an error that only knows the place in the document learns the file. */
export async function readingFrom<Result>(
  source: string,
  read: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await read()
  } catch (thrown) {
    if (!PrecisError.is(thrown)) throw thrown
    const { code, message, where, hint, details } = thrown
    const name = sourceName(source)
    throw new PrecisError(code, message, {
      where: where === undefined || where === name ? name : `${name}, ${where}`,
      ...(hint !== undefined && { hint }),
      details,
      cause: thrown,
    })
  }
}
