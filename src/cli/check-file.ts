// A request or a history in, the rules it breaks out, and a repaired copy where one is asked for.
import { PrecisError } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import { parseJsonText } from '../formats/json-text.ts'
import type { Violation } from '../validate/rule.ts'
import { validate } from '../validate/validate.ts'
import { isFields } from '../validate/walk.ts'
import { listOf, wrongShape } from '../wire/anthropic/shape.ts'
import { readLoosely } from '../wire/repair/read-anthropic.ts'
import { type CheckReport, renderCheck } from './check-report.ts'
import { HISTORY_FORMAT, type Target, targetOf } from './check-wires.ts'
import { deliver } from './deliver.ts'
import { readText } from './io.ts'
import { type RepairedDocument, repairDocument } from './repair-document.ts'
import { readingFrom, refuseOverwriting, sourceName } from './source.ts'

const DEFAULT_COLUMNS = 100

export interface CheckFlags {
  readonly provider: string
  readonly from: string
  readonly repair?: string
  readonly json?: boolean
}

/** Rejects with `invalid-request` where rules are broken, after the report is out. */
export async function checkFile(source: string, flags: CheckFlags): Promise<void> {
  const target = targetOf(flags.provider, flags.from)
  if (source === '')
    throw new PrecisError('usage', 'no input is given', {
      hint: 'Name a file, as in precis check session.json --provider anthropic; - reads standard input.',
    })
  if (flags.repair !== undefined && flags.from !== HISTORY_FORMAT)
    throw new PrecisError('usage', `a request in the format ${flags.from} cannot be repaired yet`, {
      where: '--repair',
      hint: `Leave out --repair, or give it a history in the format ${HISTORY_FORMAT}.`,
    })
  await refuseOverwriting(source, flags.repair, '--repair')
  const text = await readText(source, process.stdin)
  const document = readingFrom(source, () => readDocument(text, flags.from))
  const { violations, remarks } = check(document, target)
  const repaired = flags.repair === undefined ? undefined : repairDocument(document, target)
  const report: CheckReport = {
    input: { source, format: flags.from, kind: kindOf(document, target) },
    provider: target.name,
    violations,
    remarks,
    ...(repaired && { repair: repairOf(repaired, text, flags.repair ?? '-', target) }),
  }
  await deliver({
    report,
    result: repaired?.text ?? text,
    output: flags.repair,
    json: flags.json,
    columns: DEFAULT_COLUMNS,
    render: renderCheck,
  })
  const left = report.repair?.violations ?? violations
  if (left.length > 0) throw broken(report, left.length)
}

/** Only the outermost shape is asked for: what is wrong deeper down is what the rules are for. */
function readDocument(text: string, from: string): Json {
  const document = parseJsonText(text)
  if (from !== HISTORY_FORMAT) return document
  if (Array.isArray(document)) return document
  if (!isFields(document))
    throw wrongShape('', 'an object with `messages`, or an array of messages', document)
  listOf(document.messages, 'messages', 'an array of messages')
  return document
}

/** A document in another format is always a request: that is all its rules know. */
function kindOf(document: Json, { profile, write }: Target): 'request' | 'history' {
  const isOurs = write !== undefined || profile.wire === HISTORY_FORMAT
  return isOurs && !(isFields(document) && typeof document.model === 'string')
    ? 'history'
    : 'request'
}

/** What is missing at the end of a history, or around it, is not there yet. */
const RULES_OF_REQUESTS = ['VALID-A8', 'VALID-A10', 'VALID-O1']

function check(
  document: Json,
  target: Target,
): { violations: readonly Violation[]; remarks: readonly string[] } {
  const { profile, write } = target
  if (write === undefined) {
    const request = Array.isArray(document) ? { messages: document } : document
    const isRequest = kindOf(document, target) === 'request'
    const violations = validate(profile, request).filter(
      ({ id }) => isRequest || !RULES_OF_REQUESTS.includes(id),
    )
    return { violations, remarks: [] }
  }
  const { messages, system, envelope, changes } = readLoosely(document)
  const remarks = changes.map(({ where, why }) => `${where}: ${why}`)
  // A writer knows two roles; what else stands there is told by the repair.
  const spoken = messages.flatMap(({ role, parts }) => (role === 'system' ? [] : [{ role, parts }]))
  const instructions = messages.length - spoken.length
  if (instructions > 0)
    remarks.push(`${instructions} system messages among the messages were left out`)
  const view = { system, messages: spoken }
  const request = write(view, isFields(envelope) ? envelope : {}, (note) => remarks.push(note))
  return { violations: validate(profile, request), remarks: [...new Set(remarks)] }
}

function repairOf(
  { text, changes }: RepairedDocument,
  original: string,
  output: string,
  target: Target,
): NonNullable<CheckReport['repair']> {
  const { violations } = check(parseJsonText(text ?? original), target)
  return { output, changes, violations }
}

function broken({ input, provider, repair }: CheckReport, count: number): PrecisError {
  const rules = count === 1 ? 'a rule is' : `${count} rules are`
  const copy = repair === undefined ? '' : ' by the repaired copy'
  return new PrecisError('invalid-request', `${rules} broken${copy}: ${provider} would refuse it`, {
    where: sourceName(input.source),
    hint:
      repair === undefined && input.format === HISTORY_FORMAT
        ? '--repair FILE writes a copy that keeps the rules, and says what was changed.'
        : 'What is left has to be changed in the request itself.',
    details: { violations: count },
  })
}
