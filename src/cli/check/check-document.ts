// Checks a document by the rules of its own format, and the request converted from it
import type { LooseMessage } from '../../core/repair/repair.ts'
import { type Fields, isFields, type Json } from '../../core/text/json.ts'
import type { Message } from '../../core/view/message.ts'
import { PROFILES } from '../../validate/profiles.ts'
import type { Violation } from '../../validate/rule.ts'
import { validate } from '../../validate/validate.ts'
import { listOf } from '../../validate/walk.ts'
import type { WireFormat } from './check-format.ts'
import { HISTORY_FORMAT, type Target } from './check-wires.ts'
import { readDocument } from './repair-wire-document.ts'

export type DocumentKind = 'request' | 'history'

/** What a provider of another format would get. */
export interface Sent {
  /** Their places are those of the converted request. */
  readonly violations: readonly Violation[]
  /** What got lost or was changed on the way. */
  readonly remarks: readonly string[]
}

export interface Checked {
  /** By the rules of the document's own format, at their places in the document. */
  readonly violations: readonly Violation[]
  /** Absent if the document is sent as it stands. */
  readonly sent?: Sent
}

/** A document in another format than Anthropic's is always a request: that is all its rules know. */
export function kindOf(document: Fields, format: WireFormat): DocumentKind {
  return format === HISTORY_FORMAT && typeof document.model !== 'string' ? 'history' : 'request'
}

/**
 * Writers make valid requests of broken histories: they leave out what they cannot place. So a
 * document is judged first by its own rules, whoever it is for.
 */
export function checkDocument(document: Fields, format: WireFormat, target: Target): Checked {
  const { profile, write } = target
  if (write === undefined) {
    const isHistory = kindOf(document, format) === 'history'
    const violations = validate(profile, document)
    if (!isHistory) return { violations }
    return { violations: withoutOpenCalls(withoutRequestRules(violations), document) }
  }
  return {
    // What stands around the conversation is rewritten.
    violations: withoutRequestRules(validate(PROFILES[format], document)),
    sent: sentOf(document, format, target, write),
  }
}

/** What is missing at the end of a history, or around it, is not there yet. */
const RULES_OF_REQUESTS = ['VALID-A8', 'VALID-A10', 'VALID-C11', 'VALID-G6', 'VALID-O1']

function withoutRequestRules(violations: readonly Violation[]): readonly Violation[] {
  return violations.filter(({ id }) => !RULES_OF_REQUESTS.includes(id))
}

/** What a tool is still at work on at the end of a history has no result yet. */
function withoutOpenCalls(violations: readonly Violation[], document: Fields): Violation[] {
  const last = `messages[${listOf(document.messages).length - 1}]`
  return violations.filter(({ id, where }) => id !== 'VALID-A4' || !where.startsWith(last))
}

function sentOf(
  document: Json,
  format: WireFormat,
  { profile }: Target,
  write: NonNullable<Target['write']>,
): Sent {
  const { messages, system, envelope, changes } = readDocument(document, format)
  const remarks = changes.map(({ where, why }) => `${where}: ${why}`)
  const view = viewOf(messages, system)
  const among = messages.length - view.messages.length
  if (among > 0) remarks.push(`${among} system messages among the messages joined the prompt`)
  const request = write(view, isFields(envelope) ? envelope : {}, (note) => remarks.push(note))
  return { violations: validate(profile, request), remarks: [...new Set(remarks)] }
}

/** A writer knows two roles: what the system says joins the prompt, wherever it stands. */
function viewOf(messages: readonly LooseMessage[], system: readonly string[]) {
  const spoken = messages.flatMap(({ role, parts }): Message[] =>
    role === 'system' ? [] : [{ role, parts }],
  )
  const told = messages.flatMap(({ role, parts }) =>
    role !== 'system' ? [] : parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
  )
  return { messages: spoken, system: [...system, ...told] }
}
