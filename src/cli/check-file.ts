// A request or a history in, the rules it breaks out, and a repaired copy where one is asked for.
import { PrecisError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { parseJsonText } from '../formats/json-text.ts'
import { type Checked, checkDocument, kindOf } from './check-document.ts'
import { documentAs, likelyFormat, type WireFormat } from './check-format.ts'
import { type CheckReport, renderCheck } from './check-report.ts'
import { formatOf, HISTORY_FORMAT, profileOf, type Target, targetOf } from './check-wires.ts'
import { deliver } from './deliver.ts'
import { readText } from './io.ts'
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
export async function checkFile(source: string, flags: CheckFlags): Promise<void> {
  profileOf(flags.provider)
  const asked = flags.from === undefined ? undefined : formatOf(flags.from)
  if (source === '')
    throw new PrecisError('usage', 'no input is given', {
      hint: 'Name a file, as in precis check session.json --provider anthropic; - reads standard input.',
    })
  await refuseOverwriting(source, flags.repair, { option: '--repair', force: flags.force })
  const text = await readText(source, process.stdin)
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
  await deliver({
    report,
    result: repaired?.text ?? text,
    output: flags.repair,
    json: flags.json,
    columns: DEFAULT_COLUMNS,
    render: renderCheck,
  })
  refuseBroken(report)
}

/** A session file has its messages in records: they can be taken out of it. */
function withExport(thrown: unknown, source: string): unknown {
  if (!PrecisError.is(thrown) || !thrown.hint?.includes('JSON Lines') || source === '-')
    return thrown
  const { code, message, where, hint, details } = thrown
  return new PrecisError(code, message, {
    ...(where !== undefined && { where }),
    hint: `${hint} The messages of a session: precis export ${quoted(source)} --to anthropic --out messages.json`,
    details,
    cause: thrown,
  })
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
    hint:
      repair === undefined
        ? '--repair FILE writes a copy that keeps the rules, and says what was changed.'
        : 'What is left has to be changed in the request itself.',
    details: { violations: count },
  })
}
