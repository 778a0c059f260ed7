// Prints the result of a command: JSON or lines, both without secrets
import { escapeTexts, printableJson } from '../../core/text/visible.ts'
import { secretsOf } from '../../redact/known.ts'
import { redactValues } from '../../redact/redact-values.ts'
import type { Io } from '../process-io.ts'
import { writeStream } from './io.ts'
import { type Style, styleOf } from './terminal.ts'

const DEFAULT_COLUMNS = 100

export async function tell<Told>(
  { stdout, environment }: Pick<Io, 'stdout' | 'environment'>,
  told: Told,
  json: boolean | undefined,
  render: (told: Told, style: Style, columns: number) => string,
): Promise<void> {
  const clean = redactValues(told, secretsOf(environment)).value
  const columns = (stdout.isTTY && stdout.columns) || DEFAULT_COLUMNS
  const text = json
    ? `${printableJson(clean, 2)}\n`
    : render(escapeTexts(clean), styleOf(stdout, environment), columns)
  await writeStream(stdout, text)
}
