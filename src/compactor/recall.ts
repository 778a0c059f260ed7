// Reads removed content of messages, by ref or by words.
import { PrecisError } from '../core/errors.ts'
import * as option from '../core/options.ts'
import { buildSnippet } from '../core/search/documents.ts'
import { findWords, isAsked, queryWords } from '../core/search/words.ts'
import { callsAfter, isEntryId, parseEntryId } from '../core/view/entry.ts'
import { covered } from '../core/view/refs.ts'
import { cutHead } from '../core/window/tokens/cut.ts'
import type { MessageLog } from '../messages/message-log.ts'
import { readBody } from '../threads/search-thread.ts'

export interface RecallOptions {
  /** Start within the text of a ref, in characters. */
  readonly offset?: number
  /** Maximum characters of a ref, or finds of a query (default 20,000 and 10). */
  readonly limit?: number
}

const RECALL_CHECKS: option.Checks<RecallOptions> = {
  offset: option.optional(option.count),
  limit: option.optional(option.positive),
}

const PAGE_CHARS = 20_000
const FINDS = 10
const SNIPPET_CHARS = 200

/** The text behind a ref such as `e12`, or the entries with the words. */
export function recallFrom(log: MessageLog, asked: string, options: RecallOptions = {}): string {
  option.checkOptions('recall', { refOrWords: asked }, { refOrWords: option.text })
  option.checkOptions('recall', options, RECALL_CHECKS)
  const ref = /^\[?(?:ref:\s*)?([^\s\]]+)\]?$/.exec(asked.trim())?.[1] ?? ''
  return isEntryId(ref) ? readRef(log, ref, options) : search(log, asked, options)
}

function readRef(
  log: MessageLog,
  ref: Parameters<typeof covered>[0],
  { offset = 0, limit = PAGE_CHARS }: RecallOptions,
): string {
  const texts = covered(ref, log.eventAt).map((id) => textAt(log, parseEntryId(id).seq))
  if (texts.length === 0 || texts.every((text) => text === undefined))
    throw new PrecisError('unknown-entry', `There is nothing under the ref ${ref}.`, { where: ref })
  const text = texts.filter((each) => each !== undefined).join('\n\n')
  const start = wholeFrom(text, offset)
  const page = pageFrom(text.slice(start), limit)
  const end = start + page.length
  return end < text.length ? `${page}\n[Continues at offset ${end}.]` : page
}

/** Moves an offset inside a surrogate pair to its start. */
function wholeFrom(text: string, offset: number): number {
  const isWithin = offset > 0 && (text.codePointAt(offset - 1) ?? 0) > 0xffff
  return isWithin ? offset - 1 : offset
}

/** At least one character, so that the next page makes progress. */
function pageFrom(text: string, limit: number): string {
  const page = cutHead(text, limit)
  return page === '' ? [...text.slice(0, 2)].slice(0, 1).join('') : page
}

function textAt(log: MessageLog, seq: number): string | undefined {
  const event = log.eventAt(seq)
  if (event === undefined) return undefined
  const calls = event.type === 'AGENT_MESSAGE' ? callsAfter(seq, event.data, log.eventAt) : []
  return readBody(event, calls)
}

function search(log: MessageLog, query: string, { limit = FINDS }: RecallOptions): string {
  const words = queryWords(query)
  const finds = [...log.places.keys()].flatMap((id) => {
    const text = textAt(log, parseEntryId(id).seq) ?? ''
    const there = [...findWords(text)].filter(({ word }) => isAsked(word, words))
    const found = new Set(there.map(({ word }) => word)).size
    return found === 0 ? [] : [{ id, text, found }]
  })
  const best = finds.toSorted((one, other) => other.found - one.found).slice(0, limit)
  if (best.length === 0) return 'Nothing was found.'
  return best
    .map(({ id, text }) => `[ref:${id}] ${buildSnippet(text, words, SNIPPET_CHARS).text}`)
    .join('\n')
}
