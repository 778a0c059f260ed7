// A request or a history in, the rules it breaks out, and a repaired copy where one is asked for.
import { PrecisError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { parseJsonText } from '../formats/json-text.ts'
import { type Checked, checkDocument, kindOf } from './check-document.ts'
import { documentAs, likelyFormat, type WireFormat } from './check-format.ts'
import { type CheckReport, renderCheck } from './check-report.ts'
import { type CheckedSession, checkSession } from './check-session.ts'
import { formatOf, HISTORY_FORMAT, profileOf, type Target, targetOf } from './check-wires.ts'
import { deliver } from './deliver.ts'
import { readText } from './io.ts'
import type { Io } from './process-io.ts'
import { repairDocument } from './repair-document.ts'
import type { RepairedDocument } from './repair-wire-document.ts'
import { quoted } from './shell-quote.ts'
import { readingFrom, refuseOverwriting, sourceName } from './source.ts'

const DEFAULT_COLUMNS = 100

export interface CheckFlags {
  readonly provider: string
  readonly from?: string
  readonly repair?: string
  readonly force?: boolean
  readonly json?: boolean
}

/** Rejects with `invalid-request` where rules are broken, after the report is out. */
export async function checkFile(source: string, flags: CheckFlags, io: Io): Promise<void> {
  profileOf(flags.provider)
  const asked = flags.from === undefined ? undefined : formatOf(flags.from)
  if (source === '')
    throw new PrecisError('usage', 'no input is given', {
      hint: 'Name a file, as in precis check session.json --provider anthropic; - reads standard input.',
    })
  await refuseOverwriting(source, flags.repair, { option: '--repair', force: flags.force }, io)
  const text = await readText(source, io)
  const session = asked ? undefined : await checkSession(text, source, flags.provider, io)
  const { report, result } = session
    ? { report: sessionReport(session, source, flags), result: text }
    : await checkText(text, asked, source, flags)
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
  throw new PrecisError('usage', `a session of ${format} is checked, and not repaired`, {
    where: '--repair',
    hint: `Its messages can be. ${exportHint(source)}`,
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

/** Lines of JSON are no document, though they may hold one. */
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

/** A session file has its messages in records: they can be taken out of it. */
function exportHint(source: string): string {
  const name = source === '-' ? 'FILE' : quoted(source)
  return `The messages of a session: precis export ${name} --to ${HISTORY_FORMAT} --out messages.json`
}

/** Plain words in `messages` are the same in two formats: then they are in the provider's own. */
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
  if (isRepaired) return 'What is left has to be changed in the request itself.'
  if (kind === 'session') return `${exportHint(source)}, which --repair can mend.`
  return '--repair FILE writes a copy that keeps the rules, and says what was changed.'
}
