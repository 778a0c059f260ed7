// The file a command works on: refused as the output, and named in every error about it.
// Arguments of commands: numbers within limits, hosts and origins, and options that may be repeated.
import { PrecisError } from '../../core/errors.ts'
import { escapeSteering, escapeTexts, printableJson } from '../../core/text/address.ts'
import { secretsOf } from '../../redact/known.ts'
import { redactValues } from '../../redact/redact-values.ts'
import type { Io } from '../process-io.ts'
import { isSameFile, isThere, refuseDirectory, writeStream, writeText } from './io.ts'
import { buildStyle, type Style } from './terminal.ts'

export function sourceName(source: string): string {
  return source === '-' ? 'standard input' : source
}

interface Overwriting {
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
  await refuseDirectory(output, io)
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

/** Writes the result of a command to a file or stream, and its report */
interface Delivery<Report> {
  readonly report: Report
  readonly result: string | Iterable<string>
  readonly output: string | undefined // a file, `-` for standard output, or nowhere
  readonly json: boolean | undefined
  readonly columns: number // where the terminal does not say how wide it is
  render(report: Report, style: Style, columns: number): string
}

/**
 * The report goes to standard output, unless the result does: then to standard error. It quotes the
 * conversation and ends in logs, so it is told without secrets; the result is what it is.
 */
export async function deliver<Report>(io: Io, delivery: Delivery<Report>): Promise<void> {
  const { result, output, json, render } = delivery
  const report = redactValues(delivery.report, secretsOf(io.environment)).value
  const toStream = output === '-'
  // Whoever reads a session on a terminal must not have it steered; a file and a pipe get the bytes.
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

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1_000, m: 1_000_000 }

/** `50000`, `50k` or `0.5m`, in either case; NaN for anything else, and where it is not whole. */
export function readCount(text: string): number {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)([km]?)$/.exec(text.toLowerCase()) ?? []
  const number = digits === '' ? Number.NaN : Number(digits) * (UNITS[unit] ?? Number.NaN)
  const rounded = Math.round(number)
  return Math.abs(number - rounded) < 1e-6 && (unit !== '' || !digits.includes('.'))
    ? rounded
    : Number.NaN
}

export function wholeNumber(text: string, where: string, lowest: number, highest: number): number {
  const number = readCount(text)
  if (number >= lowest && number <= highest) return number
  const problem = Number.isNaN(number) ? 'is not a whole number' : 'is out of range'
  const large = ['5k', '1m'].filter(
    (each) => readCount(each) >= lowest && readCount(each) <= highest,
  )
  const examples = [`${Math.max(lowest, Math.min(highest, 50))}`, ...large]
  throw new PrecisError('usage', `${JSON.stringify(text)} ${problem}`, {
    where,
    hint: `Give a whole number from ${lowest.toLocaleString('en-US')} to ${highest.toLocaleString('en-US')}, such as ${examples.join(', ').replace(/, (?=[^,]*$)/, ' or ')}.`,
  })
}

/** Texts that may be given more than once; an empty one is a slip of the shell. */
export function collectTexts(option: string) {
  return (value: string, given: readonly string[] = []): readonly string[] => {
    if (value.trim() !== '') return collect(value, given)
    throw new PrecisError('usage', 'the text is empty', {
      where: option,
      hint: `Pass a text, as in ${option} "Never touch the migrations.", or omit the option.`,
    })
  }
}

/** Options that may be given more than once. */
export function collect(value: string, given: readonly string[] = []): readonly string[] {
  return [...given, value]
}

/** As in the header `Host`: a name or an address, with a port or without. */
export function hostName(given: string): string {
  if (/^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(given) && URL.canParse(`http://${given}/`))
    return given
  throw new PrecisError('usage', `${JSON.stringify(given)} is not a host name`, {
    where: '--name',
    hint: 'Give a name or an address without http://, as in --name precis.example.',
  })
}

/** As browsers send it: without a slash at its end and without the standard port. Extensions have their own schemes. */
export function pageOrigin(given: string): string {
  const url = /^[a-z][a-z\d+.-]*:\/\/[^/?#@\s*]+\/?$/i.test(given) ? URL.parse(given) : null
  if (url && url.host !== '')
    return url.origin === 'null' ? `${url.protocol}//${url.host}` : url.origin
  throw new PrecisError('usage', `${JSON.stringify(given)} is not an origin`, {
    where: '--origin',
    hint: 'Give the scheme and the host of the pages, as in --origin https://pages.example.',
  })
}
