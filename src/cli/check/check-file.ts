// `precis check`: reports violations in a request, history or session, and writes a repaired copy.
import { compose } from '../../compose.ts'
import { PrecisError } from '../../core/errors.ts'
import type { Json } from '../../core/text/json.ts'
import { parseJsonText } from '../../formats/reading/json-text.ts'
import { readSample, textSource } from '../../formats/reading/sample.ts'
import { valueStore } from '../../stores/memory/memory.ts'
import type { Io } from '../process-io.ts'
import { writtenFormat } from '../session/formats.ts'
import { readSession } from '../session/read-session.ts'
import { writeSession } from '../session/write-session.ts'
import { loadSettings } from '../settings/settings.ts'
import { readText } from '../terminal/io.ts'
import { ProgressLine } from '../terminal/progress.ts'
import { deliver, readingFrom, refuseOverwriting, sourceName } from '../terminal/source.ts'
import { quoted } from '../terminal/terminal.ts'
import { documentAs, isWireFormat, likelyFormat, type WireFormat } from './check-format.ts'
import {
  type CheckReport,
  type CheckResult,
  checkDocument,
  readKind,
  renderCheck,
} from './check-report.ts'
import {
  buildProfile,
  findInputFormat,
  findTarget,
  HISTORY_FORMAT,
  type Target,
} from './check-wires.ts'
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

/** Rejects with `invalid-request` on violations, after writing the report. */
export async function checkFile(source: string, flags: CheckFlags, io: Io): Promise<void> {
  buildProfile(flags.provider)
  const named = flags.format ?? flags.from
  const asked = named === undefined ? undefined : findInputFormat(named)
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
  const target = findTarget(flags.provider, format)
  const document = await readingFrom(source, () => documentAs(format, value))
  const repaired = flags.repair === undefined ? undefined : repairDocument(value, format, target)
  const report: CheckReport = {
    input: { source, format, kind: readKind(document, format) },
    provider: target.name,
    ...checkDocument(document, format, target),
    ...(repaired && { repair: chooseRepair(repaired, value, flags.repair ?? '-', format, target) }),
  }
  return { report, result: repaired?.text ?? text }
}

/** JSON Lines are not a document; the hint shows how to export one. */
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

/** Plain texts in `messages` fit two formats: assume the provider's own. */
function usualFormat(provider: string): WireFormat {
  const { wire } = buildProfile(provider)
  return wire === 'openai-chat' ? wire : HISTORY_FORMAT
}

function chooseRepair(
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
  const { violations, sent }: CheckResult = repair ?? checked
  const refused = sent === undefined ? violations.length : sent.violations.length
  const count = violations.length + (sent?.violations.length ?? 0)
  if (count === 0) return
  const rules = count === 1 ? 'a rule is' : `${count} rules are`
  const copy = repair === undefined ? '' : ' by the repaired copy'
  const verdict =
    refused > 0 ? `${provider} would refuse it` : `it is not a valid ${input.format} ${input.kind}`
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

/** Session files in `precis check`: converts to a history and checks that. */
interface CheckedSession extends CheckResult {
  readonly format: string
}

/** Undefined if the text is not a session file; it may still be a request or a history. */
async function checkSession(
  text: string,
  given: string,
  { provider, asked }: { readonly provider: string; readonly asked?: string | undefined },
  io: Io,
): Promise<CheckedSession | undefined> {
  if (text.trim() === '') return undefined
  const { settings } = loadSettings(io)
  const composed = compose({ store: valueStore(), settings, environment: io.environment })
  const progress = new ProgressLine(io.stderr)
  try {
    const sample = await readSample(textSource(text))
    const format = composed.formats.find(({ id, detect }) =>
      asked === undefined ? detect(sample) : id === asked,
    )
    if (!format || isWireFormat(format.id)) return undefined
    const named = format.id
    const read = await readSession(composed, textSource(text), given, { named, progress })
    const { threadId, subThreadIds, notes } = read
    const to = writtenFormat(HISTORY_FORMAT, undefined, composed)
    const written = await writeSession(
      { composed, threadId, subThreadIds },
      { threadId, to, secrets: 'leave' },
      io,
    )
    const history = parseJsonText(written.text)
    return { format: named, ...judged(history, provider, [...notes.problems, ...written.problems]) }
  } finally {
    progress.end()
    await composed.close()
  }
}

/** A session file has no rules: only the request a provider would get is checked. */
function judged(history: Json, provider: string, problems: readonly string[]): CheckResult {
  const target = findTarget(provider, HISTORY_FORMAT)
  const { violations, sent } = checkDocument(
    documentAs(HISTORY_FORMAT, history),
    HISTORY_FORMAT,
    target,
  )
  return {
    violations: [],
    sent: {
      violations: [...violations, ...(sent?.violations ?? [])],
      remarks: [...new Set([...problems, ...(sent?.remarks ?? [])])],
    },
  }
}
