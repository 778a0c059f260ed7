// The file a command works on: refused as the output, and named in every error about it.
import { PrecisError } from '../core/errors.ts'
import { isSameFile } from './io.ts'

export function sourceName(source: string): string {
  return source === '-' ? 'standard input' : source
}

/** The original is the only whole copy: no output may take its place. */
export async function refuseOverwriting(
  source: string,
  output: string | undefined,
  option: string,
  instead = '',
): Promise<void> {
  if (output === undefined || output === '-' || (source === '-' && output !== '')) return
  if (output !== '' && !(await isSameFile(source, output))) return
  throw new PrecisError('usage', output === '' ? `${option} is empty` : 'the output is the input', {
    where: option,
    hint: `Write to another file: the original is the only whole copy of the conversation. ${instead}`.trim(),
  })
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
