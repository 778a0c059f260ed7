// Writes the result of a command to a file or stream, and its report
import { escapeSteering, escapeTexts, printableJson } from '../../core/text/visible.ts'
import { secretsOf } from '../../redact/known.ts'
import { redactValues } from '../../redact/redact-values.ts'
import type { Io } from '../process-io.ts'
import { writeStream, writeText } from './io.ts'
import { type Style, styleOf } from './terminal.ts'

export interface Delivery<Report> {
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
    : render(escapeTexts(report), styleOf(stream, io.environment), columns)
  await writeStream(stream, text)
}
