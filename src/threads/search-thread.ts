// Scans threads' events newest first, with bounded linear work and no index.
import type { EntryId } from '../core/edit/change.ts'
import { pathIn, readFields } from '../core/ledger/call-fields.ts'
import { readRow } from '../core/log/codec.ts'
import type { ThreadEvent } from '../core/log/event.ts'
import type { Store } from '../core/ports.ts'
import { callInWords, partInWords } from '../core/repair/result-content.ts'
import { textOfCall } from '../core/search/documents.ts'
import { type Asked, countWords, weighTexts } from '../core/search/matching.ts'
import type { ToolCall } from '../core/view/content.ts'
import { originalId } from '../core/view/entry.ts'
import { blockCaption } from '../core/view/image-caption.ts'

export interface SearchLimits {
  readonly events: number // the newest ones
  readonly chars: number
}

export interface ScannedThread {
  readonly searchedFrom: number
  readonly left: SearchLimits // the unused part
}

export interface MatchingEntry {
  readonly threadId: string
  readonly ref: EntryId
  readonly seq: number
  readonly tool?: string // of the result
  readonly file?: string // named in its call
  readonly score: number
  /** The model never saw part of it. */
  readonly isShownInPart: boolean
  /** Opens a thread and repeats what was said in the previous one. */
  readonly isCopy: boolean
}

/** A row may be megabytes large: limits rows per read. */
const PAGE_ROWS = 100
/** Weight of each earlier session, and of user text. */
const EARLIER_SESSION = 0.9
const USER = 1.1
/** Its results are in the archive already, and its query is not an answer. */
const RECALL = 'recall'

export async function scanThread(
  store: Pick<Store, 'read' | 'info'>,
  threadId: string,
  scan: Scan,
  limits: SearchLimits,
  upTo = Number.POSITIVE_INFINITY,
): Promise<ScannedThread> {
  scan.begin(threadId)
  const before = scan.chars
  const last = Math.min((await store.info(threadId))?.version ?? 0, upTo)
  const first = Math.max(1, last - limits.events + 1)
  let to = last
  while (to >= first && scan.chars - before < limits.chars) {
    const from = Math.max(first, to - PAGE_ROWS + 1)
    const rows = await store.read(threadId, { from, to })
    for (const row of rows.toReversed()) scan.add(readRow(row))
    to = from - 1
  }
  const left = { events: limits.events - (last - to), chars: limits.chars - (scan.chars - before) }
  return { searchedFrom: to + 1, left }
}

interface Candidate {
  readonly threadId: string
  readonly seq: number
  readonly counts: readonly number[]
  readonly chars: number
  readonly isShownInPart: boolean
  readonly isCopy: boolean
  readonly prior: number // by session and author
  tool?: string
  file?: string
}

/** Reads one thread's events after the other, backwards: results before calls, calls before answers. */
export class Scan {
  readonly #words: readonly string[]
  readonly #matching = new Map<string, Candidate>() // by thread and number
  readonly #results = new Map<string, number>() // call → result, until the call is reached
  readonly #calls = new Map<number, string[]>() // answer → texts of its calls
  #threadId = ''
  #sessions = 0
  #entries = 0
  chars = 0

  constructor(words: readonly string[]) {
    this.#words = words
  }

  begin(threadId: string): void {
    this.#threadId = threadId
    this.#sessions += 1
    this.#results.clear()
    this.#calls.clear()
  }

  add(event: ThreadEvent): void {
    switch (event.type) {
      case 'TOOL_CALL':
        this.#addCall(event.data)
        return
      case 'AGENT_MESSAGE': {
        const calls = this.#calls.get(event.seq) ?? []
        this.#calls.delete(event.seq)
        this.#weigh(event.seq, [event.data.content, ...calls].join('\n'))
        return
      }
      case 'TOOL_RESULT':
        if (event.data.id !== undefined) this.#results.set(event.data.id, event.seq)
        this.#weigh(event.seq, readBody(event, []), {
          isShownInPart: event.data.shown !== undefined,
        })
        return
      case 'USER_MESSAGE':
        this.#weigh(event.seq, readBody(event, []), {
          isCopy: event.origin === 'summary',
          isUser: true,
        })
    }
  }

  #addCall(call: Extract<ThreadEvent, { type: 'TOOL_CALL' }>['data']): void {
    const result = this.#results.get(call.id)
    this.#results.delete(call.id)
    if (call.name === RECALL) {
      if (result !== undefined) this.#matching.delete(this.#keyOf(result))
      return
    }
    const weighed = result === undefined ? undefined : this.#matching.get(this.#keyOf(result))
    if (weighed) {
      weighed.tool = call.name
      const file = pathIn(readFields(call.arguments))
      if (file !== undefined) weighed.file = file
    }
    const others = this.#calls.get(call.answer) ?? []
    this.#calls.set(call.answer, [textOfCall(call), ...others])
  }

  #weigh(
    seq: number,
    text: string,
    {
      isShownInPart = false,
      isCopy = false,
      isUser = false,
    }: Partial<Pick<Candidate, 'isShownInPart' | 'isCopy'>> & { readonly isUser?: boolean } = {},
  ): void {
    this.#entries += 1
    this.chars += text.length
    const counts = countWords(text, this.#words)
    if (counts.every((count) => count === 0)) return
    const prior = EARLIER_SESSION ** (this.#sessions - 1) * (isUser ? USER : 1)
    const about = { threadId: this.#threadId, seq, isShownInPart, isCopy, prior }
    this.#matching.set(this.#keyOf(seq), { ...about, counts, chars: text.length })
  }

  #keyOf(seq: number): string {
    return `${this.#threadId} ${seq}`
  }

  /** By BM25 over the scanned entries; of equals the first one met. */
  ranked(): { readonly matches: readonly MatchingEntry[]; readonly asked: Asked } {
    const matching = [...this.#matching.values()]
    const all = { texts: this.#entries, chars: this.chars }
    const { asked, scores } = weighTexts(matching, this.#words, all)
    const matches = matching
      .map(({ counts: _, chars: __, prior, ...entry }, index) => ({
        ...entry,
        ref: originalId(entry.seq),
        score: prior * (scores[index] ?? 0),
      }))
      .sort((a, b) => b.score - a.score) // stable: later events came first
    return { matches, asked }
  }
}

/** `[e12 user, 2026-01-31 10:00]` and the text. */
export function renderEvent(event: ThreadEvent, calls: readonly ToolCall[]): string {
  const time = event.timestamp.toISOString().slice(0, 16).replace('T', ' ')
  const status = event.type === 'TOOL_RESULT' ? `, ${event.data.status}` : ''
  return `[${originalId(event.seq)} ${findSpeaker(event)}, ${time}${status}]\n${readBody(event, calls)}`
}

/** `user`, `agent`, or `result of read` for a known tool. */
export function findSpeaker(event: ThreadEvent, tool?: string): string {
  switch (event.type) {
    case 'USER_MESSAGE':
      return 'user'
    case 'AGENT_MESSAGE':
      return 'agent'
    case 'TOOL_RESULT':
      return `result of ${tool ?? `call ${event.data.id ?? 'unknown'}`}`
    default:
      return event.type.toLowerCase().replaceAll('_', ' ')
  }
}

/** The text; a result in full, even if the model saw part of it. */
export function readBody(event: ThreadEvent, calls: readonly ToolCall[]): string {
  switch (event.type) {
    case 'USER_MESSAGE':
      if (typeof event.data === 'string') return event.data
      return lines(event.data.map((part) => (part.type === 'tool_call' ? '' : partInWords(part))))
    case 'TOOL_CALL':
      return renderCall(event.data)
    case 'AGENT_MESSAGE':
      return lines([event.data.content, ...calls.map(renderCall)])
    case 'TOOL_RESULT':
      return lines(event.data.content.map((block) => block.text ?? blockCaption(block)))
    case 'SYSTEM_REMINDER':
      return event.data
    case 'CHECKPOINT':
      return event.data.id
    default:
      return ''
  }
}

function renderCall({ id, name, arguments: given }: ToolCall): string {
  return callInWords({ type: 'tool_call', id, name, arguments: given })
}

function lines(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n')
}
