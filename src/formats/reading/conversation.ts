// One thread of a file as drafts: joins the pieces of an answer and puts its results right after it.
import type { NewEntry } from '../../core/edit/change.ts'
import type { EventDraft, Origin as WrittenBy } from '../../core/log/event.ts'
import type { Json } from '../../core/text/json.ts'
import {
  type Answer,
  type ModelRef,
  type Part,
  type StopReason,
  type TokenUsage,
  type ToolResult,
  textOfParts,
  type UserContent,
} from '../../core/view/content.ts'
import { writtenBy } from '../../core/view/typed-text.ts'
import type { NamedDraft, RecordedChange, Step } from '../session-format.ts'
import { type RawRecord, rawJson } from './raw.ts'

/** The source of an event. */
export interface Origin {
  readonly record?: RawRecord
  readonly names?: readonly string[]
  readonly timestamp?: Date
}

export interface AnswerFacts {
  readonly model?: ModelRef
  readonly stopReason?: StopReason
  readonly tokenUsage?: TokenUsage
}

interface PendingAnswer {
  readonly id: string
  readonly parts: Part[]
  readonly calls: { id: string; name: string; arguments: Json }[]
  readonly records: RawRecord[]
  readonly names: string[]
  readonly results: NamedDraft[]
  readonly answered: Set<string>
  facts: AnswerFacts
  timestamp: Date | undefined
}

/** Raw records per FOREIGN event, to limit its size. */
const FOREIGN_RECORDS = 100

/**
 * Files interleave an answer's lines with results and notes. The answer is held until something starts that
 * cannot belong to its round, and then emitted with its calls, results, and the rest.
 */
export class Conversation {
  readonly #format: string
  readonly #thread: string
  readonly #done: Step[] = []
  readonly #answerIds = new Set<string>()
  #answer: PendingAnswer | undefined
  #waiting: NamedDraft[] = [] // content after the open answer that is not its result
  #raw: RawRecord[] = []
  readonly #prompts: string[] = []

  constructor(format: string, thread: string) {
    this.#format = format
    this.#thread = thread
  }

  /** The complete steps. */
  drain(): Step[] {
    return this.#done.splice(0)
  }

  /** Opens the answer with this id, or continues it. */
  answer(id: string, origin: Origin, facts: AnswerFacts = {}): void {
    if (this.#answer?.id !== id) {
      this.flush()
      this.#answerIds.add(id)
      this.#answer = {
        id,
        parts: [],
        calls: [],
        records: [],
        names: [],
        results: [],
        answered: new Set(),
        facts: {},
        timestamp: origin.timestamp,
      }
    }
    const answer = this.#answer
    answer.facts = { ...answer.facts, ...facts }
    if (origin.record) answer.records.push(origin.record)
    answer.names.push(...(origin.names ?? []))
  }

  /** Facts of the open answer known only after its parts. */
  facts(facts: AnswerFacts): void {
    if (this.#answer) this.#answer.facts = { ...this.#answer.facts, ...facts }
  }

  isOpenAnswer(id: string): boolean {
    return this.#answer?.id === id
  }

  hasAnswered(id: string): boolean {
    return this.#answerIds.has(id)
  }

  part(part: Part): void {
    this.#answer?.parts.push(part)
  }

  call(id: string, name: string, given: Json): void {
    const answer = this.#answer
    if (!answer) return
    let unique = id
    for (let count = 2; answer.calls.some((call) => call.id === unique); count += 1)
      unique = `${id}_${count}`
    answer.calls.push({ id: unique, name, arguments: given })
    answer.parts.push({ type: 'tool_call', callId: unique })
  }

  result(data: ToolResult, origin: Origin): void {
    const named = this.#named({ type: 'TOOL_RESULT', data }, origin)
    const answer = this.#answer
    if (answer && data.id !== undefined && answer.calls.some((call) => call.id === data.id)) {
      answer.results.push(named)
      answer.answered.add(data.id)
    } else this.#add(named)
  }

  /** Ends the round: the user's text responds to what precedes it. */
  user(data: UserContent, origin: Origin, by: WrittenBy): void {
    this.flush()
    this.queued(data, origin, by)
  }

  /** Typed while the model was busy: it follows the results of the open round. */
  queued(data: UserContent, origin: Origin, by: WrittenBy): void {
    this.#add(this.#named(userMessage(data, by), origin))
  }

  /** Waits for the results of an open round, which must follow their answer. */
  reminder(text: string, origin: Origin): void {
    this.#add(this.#named({ type: 'SYSTEM_REMINDER', data: text }, origin))
  }

  /** An event outside the context. */
  aside(draft: EventDraft, origin: Origin): void {
    this.#add(this.#named(draft, origin))
  }

  /** A system message at the start. Several form one prompt: a later one includes the others. */
  prompt(text: string, origin: Origin): void {
    this.#prompts.push(text)
    const data = this.#prompts.filter((each) => each.trim() !== '').join('\n\n')
    this.aside({ type: 'SYSTEM_PROMPT', data }, origin)
  }

  /** Kept unchanged, outside the context. */
  raw(record: RawRecord): void {
    this.#raw.push(record)
    if (this.#raw.length >= FOREIGN_RECORDS) this.#flushRaw()
  }

  envelope(value: Json): void {
    const data = rawJson(this.#format, [], value)
    this.#add({ draft: { type: 'FOREIGN', data } })
  }

  compaction(compaction: RecordedChange): void {
    this.flush()
    const { metadata } = compaction
    this.#done.push({
      type: 'compaction',
      thread: this.#thread,
      compaction: { ...compaction, metadata: { format: this.#format, ...metadata } },
    })
  }

  flush(): void {
    this.#flushRaw()
    const answer = this.#answer
    this.#answer = undefined
    const waiting = this.#waiting
    this.#waiting = []
    this.#emit([...(answer ? [...this.#answerDrafts(answer), ...answer.results] : []), ...waiting])
  }

  #flushRaw(): void {
    if (this.#raw.length === 0) return
    const data = rawJson(this.#format, this.#raw)
    this.#raw = []
    this.#add({ draft: { type: 'FOREIGN', data } })
  }

  #add(named: NamedDraft): void {
    if (this.#answer) this.#waiting.push(named)
    else this.#emit([named])
  }

  #emit(drafts: readonly NamedDraft[]): void {
    if (drafts.length > 0) this.#done.push({ type: 'drafts', thread: this.#thread, drafts })
  }

  #named(draft: EventDraft, { record, names, timestamp }: Origin): NamedDraft {
    const source = rawJson(this.#format, record ? [record] : [])
    return {
      draft: { ...draft, ...(timestamp && { timestamp }), source } as EventDraft,
      ...(names && { names }),
    }
  }

  #answerDrafts(answer: PendingAnswer): NamedDraft[] {
    const { parts, calls, facts, timestamp } = answer
    const time = timestamp && { timestamp }
    const data: Answer = {
      content: textOfParts(parts),
      ...(!isPlain(parts) && { parts }),
      calls: calls.map(({ id }) => id),
      ...facts,
    }
    const source = rawJson(this.#format, answer.records)
    return [
      { draft: { type: 'AGENT_MESSAGE', data, ...time, source }, names: answer.names },
      ...calls.map((call): NamedDraft => {
        return { draft: { type: 'TOOL_CALL', data: { ...call, answer: 0 }, ...time } }
      }),
    ]
  }
}

/** Written where a tool requires a summary and the context has none. */
export const OPENING = '[The conversation follows; what was long in it is shortened.]'

/** The text a compaction put in place of dropped content; none if it only reports the drop. */
export function summaryEntries(text: string): NewEntry[] {
  return text === OPENING ? [] : [{ type: 'USER_MESSAGE', data: text, label: 'summary' }]
}

/** If the file says it is the user's, the content decides. */
function userMessage(data: UserContent, by: WrittenBy): EventDraft {
  const origin = by === 'typed' ? writtenBy(data) : by
  return { type: 'USER_MESSAGE', data: plain(data), origin }
}

/** A single plain text part is always written as a string. */
function plain(content: UserContent): UserContent {
  return typeof content !== 'string' && isPlain(content) ? textOfParts(content) : content
}

function isPlain(parts: readonly Part[]): boolean {
  const [only] = parts
  return parts.length === 0 || (parts.length === 1 && only?.type === 'text' && !only.extra)
}
