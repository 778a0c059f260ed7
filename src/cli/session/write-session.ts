// Writes a thread as a file, with notes on what the format cannot express; redacted on request.
import { randomUUID } from 'node:crypto'
import type { ThreadEvent } from '../../core/log/event.ts'
import type { Json } from '../../core/text/json.ts'
import { buildMessages } from '../../core/view/build.ts'
import type { Context } from '../../core/view/context.ts'
import { buildTranscript } from '../../formats/pages.ts'
import type { Exported, Outgoing, View } from '../../formats/session-format.ts'
import { type Secret, secretsOf } from '../../redact/known.ts'
import { redact } from '../../redact/redact.ts'
import { type RedactedValue, redactValues } from '../../redact/redact-values.ts'
import type { Io } from '../process-io.ts'
import type { WrittenFormat } from './formats.ts'
import { readEvents, type Session } from './session.ts'

export type RedactedSecrets = RedactedValue<unknown>['found']

export interface WrittenSession extends Exported {
  /** Possible secrets in the context, if they were searched. */
  readonly found: RedactedSecrets
  readonly messages: number
}

export interface WriteSession {
  readonly threadId: string // of the session's own store: the result may be another thread than the input
  readonly to: WrittenFormat
  /** Whether to remove secrets, only find them, or skip the search, which takes time. */
  readonly secrets: 'remove' | 'find' | 'leave'
  readonly title?: string | undefined
  /** For pages: the whole transcript instead of the context. */
  readonly full?: boolean
}

export async function writeSession(
  {
    composed,
    subThreadIds,
    threadId: own,
  }: Pick<Session, 'composed' | 'subThreadIds' | 'threadId'>,
  { threadId, to, secrets: wish, title, full = false }: WriteSession,
  { environment, cwd }: Pick<Io, 'environment' | 'cwd'>,
): Promise<WrittenSession> {
  const secrets = secretsOf(environment)
  // A fork or fresh session has no sub-threads.
  const sides = threadId === own ? subThreadIds : []
  const logs = await Promise.all([threadId, ...sides].map((id) => readEvents(composed.store, id)))
  const whole = buildView(await composed.threads.context(threadId), logs[0] ?? [])
  const isRedacted = wish === 'remove'
  const { view, found } = isRedacted
    ? cleanView(whole, secrets)
    : { view: whole, found: wish === 'find' ? lookFor(whole, secrets) : [] }
  const facts = { found, messages: view.messages.length }
  if (to.kind === 'page' && full) {
    const sections = buildTranscript(logs[0] ?? [])
    const shown = isRedacted ? redactValues(sections, secrets) : { value: sections, found }
    const told = { found: shown.found, messages: sections.length }
    return withFacts(to.format.writeSections(shown.value, title), told)
  }
  if (to.kind === 'page') return withFacts(to.format.write(view, title), facts)
  const [events = [], ...sideEvents] = logs.map((log) =>
    isRedacted ? log.map((event) => withoutSecrets(event, secrets)) : log,
  )
  const outgoing: Outgoing = { view, events, sideEvents, ...(title !== undefined && { title }) }
  const written = to.format.write(outgoing, { now: new Date(), newId: randomUUID, cwd })
  return withFacts(written, facts)
}

/** A lazily built text stays lazy. */
function withFacts(
  written: Exported,
  facts: Pick<WrittenSession, 'found' | 'messages'>,
): WrittenSession {
  const { problems, pieces, oldRecords } = written
  return {
    get text() {
      return written.text
    },
    problems,
    ...(pieces && { pieces }),
    ...(oldRecords !== undefined && { oldRecords }),
    ...facts,
  }
}

/** From rows already loaded: the thread would read them again. */
function buildView(context: Context, events: readonly ThreadEvent[]): View {
  const { system, messages } = buildMessages(context, (seq) => events[seq - 1])
  return { system, messages }
}

function cleanView(view: View, secrets: readonly Secret[]): { view: View; found: RedactedSecrets } {
  const { value, found } = redactValues(view, secrets)
  return { view: value, found }
}

/** If nothing is removed, searching one long text is much faster than many short ones. */
function lookFor(view: View, secrets: readonly Secret[]): RedactedSecrets {
  return redact(JSON.stringify(view), secrets).found
}

/** Covers all a format may take from a log: titles, models, places, and original records. */
function withoutSecrets(event: ThreadEvent, secrets: readonly Secret[]): ThreadEvent {
  const data = event.type === 'FOREIGN' ? cleanKept(event.data, secrets) : cleanData(event, secrets)
  const clean = { ...event, data } as ThreadEvent
  return event.source === undefined ? clean : { ...clean, source: cleanKept(event.source, secrets) }
}

/** The same object if there is nothing to remove. */
function cleanData({ data }: ThreadEvent, secrets: readonly Secret[]): ThreadEvent['data'] {
  const { value, found } = redactValues(data, secrets)
  return found.length === 0 ? data : value
}

function cleanKept(kept: Json, secrets: readonly Secret[]): Json {
  if (typeof kept !== 'object' || kept === null || !('records' in kept))
    return redactValues(kept, secrets).value
  const { records } = kept
  const rest = redactValues({ ...kept, records: [] }, secrets).value
  if (!Array.isArray(records)) return rest
  return { ...rest, records: records.map((record) => cleanRecord(record, secrets)) }
}

/** A record is JSON text: searches inside its strings, not across their quotes. */
function cleanRecord(record: Json, secrets: readonly Secret[]): Json {
  if (typeof record !== 'object' || record === null || !('raw' in record)) return record
  const { raw } = record
  if (typeof raw !== 'string') return record
  const parsed = tryParse(raw)
  if (parsed === undefined) return { ...record, raw: redactValues(raw, secrets).value }
  const { value, found } = redactValues(parsed, secrets)
  return found.length === 0 ? record : { ...record, raw: JSON.stringify(value) }
}

function tryParse(raw: string): Json | undefined {
  try {
    return JSON.parse(raw)
  } catch {
    return undefined
  }
}
