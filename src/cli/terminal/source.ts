// The input file of a command: protected from being overwritten, and named in every error about it.
import { PrecisError } from '../../core/errors.ts'
import { escapeSteering, escapeTexts, printableJson } from '../../core/text/visible.ts'
import { secretsOf } from '../../redact/known.ts'
import { redactValues } from '../../redact/redact-values.ts'
import type { Io } from '../process-io.ts'
import { isSameFile, isThere, refuseDirectory, writeStream, writeText } from './io.ts'
import { buildStyle, type Style } from './terminal.ts'

export function sourceName(source: string): string {
  return source === '-' ? 'standard input' : source
}

interface Overwriting {
  readonly option: string // that sets the output
  readonly force: boolean | undefined
  readonly instead?: string // what to do instead
}

/**
 * The original is the only complete copy, so no output may replace it. Other files are replaced on request. A
 * thread is not a file: then there is no source.
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
  await refuseDirectory(output, io)
  if (!force && (await isThere(output, io)))
    throw refused(
      `${output} already exists`,
      'Nothing was written. Name another file, or replace this one with --force.',
    )
}

/** Runs a reader and adds the file to its errors. */
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

/** Writes the result of a command to a file or stream, and its report. */
interface Delivery<Report> {
  readonly report: Report
  readonly result: string | Iterable<string>
  readonly output: string | undefined // a file, `-` for standard output, or nowhere
  readonly json: boolean | undefined
  readonly columns: number // used if the terminal does not tell its width
  render(report: Report, style: Style, columns: number): string
}

/**
 * The report goes to standard output, or to standard error if the result goes there. It quotes the
 * conversation and ends in logs, so it is redacted; the result is not.
 */
export async function deliver<Report>(io: Io, delivery: Delivery<Report>): Promise<void> {
  const { result, output, json, render } = delivery
  const report = redactValues(delivery.report, secretsOf(io.environment)).value
  const toStream = output === '-'
  // Escaped on a terminal, which the content must not control; files and pipes get the bytes.
  const shown = io.stdout.isTTY ? escapeSteering : (piece: string) => piece
  if (toStream)
    for (const piece of typeof result === 'string' ? [result] : result)
      await writeStream(io.stdout, shown(piece))
  else if (output !== undefined) await writeText(output, result, io)
  const stream = toStream ? io.stderr : io.stdout
  const columns = (stream.isTTY && stream.columns) || delivery.columns
  const text = json
    ? `${printableJson(report, 2)}\n`
    : render(escapeTexts(report), buildStyle(stream, io.environment), columns)
  await writeStream(stream, text)
}
