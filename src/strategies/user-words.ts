// The user's words in summarised content: verbatim, newest first, each with its ref.
import type { EventAt } from '../core/log/event.ts'
import { textOfUserContent } from '../core/view/content.ts'
import { type Item, parseEntryId } from '../core/view/entry.ts'
import { contentOf } from '../core/view/entry-content.ts'
import { isSaidByUser } from '../core/view/last-request.ts'
import { typedTexts } from '../core/view/typed-text.ts'
import { cutHead, cutTail } from '../core/window/tokens/cut.ts'
import { estimateTokens } from '../core/window/tokens/estimate.ts'
import { asData } from './summary/as-data.ts'

export type UserWord = {
  readonly ref: string
  readonly text: string
}

/** Longer messages are pastes, shown by start and end. */
const LONG_CHARS = 1_200
const HEAD_CHARS = 800
const TAIL_CHARS = 200

interface Said {
  readonly items: readonly Item[]
  readonly eventAt: EventAt
  /** What an earlier summary had, and the refs it had dropped. */
  readonly earlier: UserWords
  readonly maxTokens: number
}

export interface UserWords {
  /** In conversation order. */
  readonly words: readonly UserWord[]
  /** Refs of older ones, newest first. */
  readonly leftOut: readonly string[]
}

export function userWords({ items, eventAt, earlier, maxTokens }: Said): UserWords {
  // A pinned text stays in the context and is found again there.
  const all = new Map(earlier.words.map((word) => [word.ref, word]))
  for (const item of items) {
    const text = isSaidByUser(item, eventAt) ? readText(item, eventAt) : ''
    if (text !== '') all.set(item.id, { ref: item.id, text: elided(text) })
  }
  const newestFirst = [...all.values()].toReversed()
  let tokens = 0
  let count = 0
  for (const word of newestFirst) {
    tokens += estimateTokens(readLine(word))
    if (tokens > maxTokens) break
    count += 1
  }
  const older = newestFirst.slice(count).map(({ ref }) => ref)
  return {
    words: newestFirst.slice(0, count).toReversed(),
    leftOut: [...older, ...earlier.leftOut.filter((ref) => !all.has(ref))],
  }
}

/** As lines: first what is omitted, then what is kept. */
export function readLines({ words, leftOut }: UserWords, maxTokens: number): string[] {
  return [...leftOutNote(leftOut, maxTokens), ...words.map(readLine)]
}

export function countTokens(words: readonly UserWord[]): number {
  return words.reduce((sum, word) => sum + estimateTokens(readLine(word)), 0)
}

/** Refs of omitted messages take about a quarter more at most. */
const TOKENS_PER_REF = 6
const REFS_SHARE = 4
const LEAST_REFS = 8

function leftOutNote(refs: readonly string[], maxTokens: number): string[] {
  const oldest = refs.at(-1)
  if (oldest === undefined) return []
  const count = Math.max(LEAST_REFS, Math.floor(maxTokens / REFS_SHARE / TOKENS_PER_REF))
  const named = refs.slice(0, count).map(asRef).join(', ')
  const more = refs.length - count
  const rest = more > 0 ? ` and ${more} more back to ${asRef(oldest)}` : ''
  const what = refs.length === 1 ? 'message of the user is' : 'messages of the user are'
  return [
    `[${refs.length} earlier ${what} left out here, to be read by ref, newest first: ${named}${rest}.]`,
  ]
}

function asRef(ref: string): string {
  return `[ref:${ref}]`
}

function readText(item: Item, eventAt: EventAt): string {
  const { original, seq } = parseEntryId(item.id)
  const event = original ? eventAt(seq) : undefined
  if (event?.type === 'USER_MESSAGE') {
    const typed = typedTexts(event).join('\n').trim()
    if (typed !== '') return typed
  }
  const content = contentOf(item.id, eventAt)
  return content?.kind === 'user' ? textOfUserContent(content.content).trim() : ''
}

/** Indented after its ref, so that no line looks like the summary's. */
function readLine({ ref, text }: UserWord): string {
  return `${asRef(ref)} ${asData(text)
    .replace(/\r\n|[\r\v\f\u0085\u2028\u2029]/g, '\n')
    .replaceAll('\n', '\n  ')}`
}

function elided(text: string): string {
  if (text.length <= LONG_CHARS) return text
  const [head, tail] = [cutHead(text, HEAD_CHARS), cutTail(text, TAIL_CHARS)]
  return `${head}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail}`
}
