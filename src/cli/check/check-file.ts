// `precis check`: report the violations of a request, history or session, and write a repaired copy
import { PrecisError } from '../../core/errors.ts'
import type { Json } from '../../core/text/json.ts'
import { parseJsonText } from '../../formats/reading/json-text.ts'
import type { Io } from '../process-io.ts'
import { deliver } from '../terminal/deliver.ts'
import { readText } from '../terminal/io.ts'
import { quoted } from '../terminal/shell-quote.ts'
import { readingFrom, refuseOverwriting, sourceName } from '../terminal/source.ts'
import { type Checked, checkDocument, kindOf } from './check-document.ts'
import { documentAs, isWireFormat, likelyFormat, type WireFormat } from './check-format.ts'
import { type CheckReport, renderCheck } from './check-report.ts'
import { type CheckedSession, checkSession } from './check-session.ts'
import { HISTORY_FORMAT, inputFormatOf, profileOf, type Target, targetOf } from './check-wires.ts'
import { repairDocument } from './repair-document.ts'
import type { RepairedDocument } from './repair-wire-document.ts'

const DEFAULT_COLUMNS = 100

export interface CheckFlags {
  readonly provider: string
  readonly format?: string
  /** The old name of `format`. */
  readonly from?: string
  readonly repair?: string
  readonly force?: boolean
  readonly json?: boolean
}

/** Rejects with `invalid-request` on violations, after it has written the report. */
export async function checkFile(source: string, flags: CheckFlags, io: Io): Promise<void> {
  profileOf(flags.provider)
  const named = flags.format ?? flags.from
  const asked = named === undefined ? undefined : inputFormatOf(named)
  const wire = asked !== undefined && isWireFormat(asked) ? asked : undefined
  if (source === '')
    throw new PrecisError('usage', 'no input file', {
      hint: 'Name a file, as in precis check session.json --provider anthropic; - reads standard input.',
    })
  await refuseOverwriting(source, flags.repair, { option: '--repair', force: flags.force }, io)
  const text = await readText(source, io)
  const session = wire ? undefined : await checkSession(text, source, { ...flags, asked }, io)
  const { report, result } = session
    ? { report: sessionReport(session, source, flags), result: text }
    : await checkText(text, wire, source, flags)
  await deliver(io, {
    report,
    result,
    output: flags.repair,
    json: flags.json,
    columns: DEFAULT_COLUMNS,
    render: renderCheck,
  })
  refuseBroken(report)
}

function sessionReport(
  { format, ...checked }: CheckedSession,
  source: string,
  { provider, repair }: CheckFlags,
): CheckReport {
  if (repair === undefined)
    return { input: { source, format, kind: 'session' }, provider, ...checked }
  throw new PrecisError('usage', `${format} sessions can be checked but not repaired`, {
    where: '--repair',
    hint: `Export the messages and repair those. ${exportHint(source)}`,
  })
}

async function checkText(
  text: string,
  asked: WireFormat | undefined,
  source: string,
  flags: CheckFlags,
): Promise<{ readonly report: CheckReport; readonly result: string }> {
  const value = await readingFrom(source, () => parseJsonText(text)).catch((thrown: unknown) => {
    throw withExport(thrown, source)
  })
  const format = asked ?? likelyFormat(value) ?? usualFormat(flags.provider)
  const target = targetOf(flags.provider, format)
  const document = await readingFrom(source, () => documentAs(format, value))
  const repaired = flags.repair === undefined ? undefined : repairDocument(value, format, target)
  const report: CheckReport = {
    input: { source, format, kind: kindOf(document, format) },
    provider: target.name,
    ...checkDocument(document, format, target),
    ...(repaired && { repair: repairOf(repaired, value, flags.repair ?? '-', format, target) }),
  }
  return { report, result: repaired?.text ?? text }
}

/** JSON Lines are not a document; the hint says how to export one from them. */
function withExport(thrown: unknown, source: string): unknown {
  if (!PrecisError.is(thrown) || !thrown.hint?.includes('JSON Lines')) return thrown
  const { code, message, where, hint, details } = thrown
  return new PrecisError(code, message, {
    ...(where !== undefined && { where }),
    hint: `${hint} ${exportHint(source)}`,
    details,
    cause: thrown,
  })
}

/** How to export the messages from the records of a session file. */
function exportHint(source: string): string {
  const name = source === '-' ? 'FILE' : quoted(source)
  return `Export the messages of a session: precis export ${name} --to ${HISTORY_FORMAT} --out messages.json`
}

/** Plain texts in `messages` look the same in two formats: assume the provider's own. */
function usualFormat(provider: string): WireFormat {
  const { wire } = profileOf(provider)
  return wire === 'openai-chat' ? wire : HISTORY_FORMAT
}

function repairOf(
  { text, changes }: RepairedDocument,
  original: Json,
  output: string,
  format: WireFormat,
  target: Target,
): NonNullable<CheckReport['repair']> {
  const copy = text === undefined ? original : parseJsonText(text)
  const checked = checkDocument(documentAs(format, copy), format, target)
  return { output, changes, ...checked }
}

function refuseBroken({ input, provider, repair, ...checked }: CheckReport): void {
  const { violations, sent }: Checked = repair ?? checked
  const refused = sent === undefined ? violations.length : sent.violations.length
  const count = violations.length + (sent?.violations.length ?? 0)
  if (count === 0) return
  const rules = count === 1 ? 'a rule is' : `${count} rules are`
  const copy = repair === undefined ? '' : ' by the repaired copy'
  const verdict =
    refused > 0 ? `${provider} would refuse it` : `it is no sound ${input.format} ${input.kind}`
  throw new PrecisError('invalid-request', `${rules} broken${copy}: ${verdict}`, {
    where: sourceName(input.source),
    hint: adviceFor(input, repair !== undefined),
    details: { violations: count },
  })
}

function adviceFor({ kind, source }: CheckReport['input'], isRepaired: boolean): string {
  if (isRepaired) return 'Change the rest in the request itself.'
  if (kind === 'session') return `${exportHint(source)}, which --repair can fix.`
  return '--repair FILE writes a valid copy and lists the changes.'
}
