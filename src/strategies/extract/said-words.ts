// The user's words for a brief: the first message and the newest, long pastes in part.
import type { EntryId } from '../../core/edit/change.ts'
import { originalId } from '../../core/view/entry.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import { asData } from '../summary/as-data.ts'
import { asRef, headAndTail } from '../trim.ts'
import type { Digest } from './digest.ts'
import { TITLES } from './earlier-brief.ts'
import type { UserWords } from './group.ts'

const REF_TOKENS = 7
/** Longer messages are pastes, shown by start and end. */
const PASTE_TOKENS = 300
/** A shorter part of a message would be useless. */
const LEAST_TOKENS = 40
/** The first message states the purpose, so it may take this share of the room. */
const GOAL_SHARE = 0.5
/** A bare command, or a word to continue, asks for nothing itself. */
const EMPTY_WORDS =
  /^(?:\/[\w:-]+|(?:please )?(?:continue|go on|go ahead|proceed|carry on|keep going|resume|ok(?:ay)?|yes|thanks?|thank you|weiter|continue[rz]?|continúa|sigue|continua|继续|続けて|계속)(?: please)?)[\s.!]*$/iu

function isEmpty({ text, to }: UserWords): boolean {
  return to === undefined && EMPTY_WORDS.test(text)
}

/** User words as a brief shows them. */
export interface ShownWords {
  readonly ref: EntryId
  readonly text: string
  readonly isGoal: boolean
  /** Another request followed. */
  readonly isFormer?: boolean
}

interface WordsRoom {
  readonly roomTokens: number
  /** For older messages' statements. */
  readonly statedTokens: number
  /** Whether a sentence is pinned. */
  readonly isSaid: (sentence: string) => boolean
}

/** In conversation order; `isShown` marks those visible in the context. */
export function shownWords(
  { words, senses }: Pick<Digest, 'words' | 'senses'>,
  isShown: (seq: number) => boolean,
  { roomTokens, statedTokens, isSaid }: WordsRoom,
): ShownWords[] {
  const shown = new Map<UserWords, ShownWords>()
  let room = roomTokens
  const last = new Map(words.map((word) => [word.text, word]))
  const telling = words.filter((word) => !isEmpty(word) && last.get(word.text) === word)
  const goal = telling[0] ?? words[0]
  const goalTokens = telling.length > 1 ? roomTokens * GOAL_SHARE : roomTokens
  const take = (word: UserWords, mostTokens: number) => {
    const ref = word.entry ?? originalId(word.seq)
    const text = inert(
      withMarks(word.to === undefined ? word.text : senses.withReferent(word.text, word.to), word),
    )
    const longest = word === goal ? Math.max(PASTE_TOKENS, goalTokens) : PASTE_TOKENS
    const most = Math.min(mostTokens, room, longest) - REF_TOKENS
    const isWhole = estimateTokens(text) <= most
    if (!isWhole && most < LEAST_TOKENS) return
    const fitted = isWhole ? text : headAndTail(text, most, asRef(ref))
    const isGoal = word === goal
    const isFormer = isGoal && telling.at(-1) !== goal
    shown.set(word, { ref, text: fitted, isGoal, ...(isFormer && { isFormer }) })
    room -= estimateTokens(fitted) + REF_TOKENS
  }
  if (goal && !isShown(goal.seq)) take(goal, goalTokens)
  for (const word of telling.toReversed())
    if (word !== goal && !isShown(word.seq)) take(word, roomTokens)
  const statements = (word: UserWords) =>
    shown.has(word) || isShown(word.seq)
      ? []
      : senses
          .findStatements(word.text)
          .filter((text) => !isSaid(text) && !word.over?.includes(text))
  for (const [word, text] of statedBriefly(telling, statedTokens, statements))
    shown.set(word, { ref: word.entry ?? originalId(word.seq), text: inert(text), isGoal: false })
  return words.flatMap((word) => shown.get(word) ?? [])
}

const OVER = ' (changed later)'

/** Marks superseded sentences. */
function withMarks(text: string, { over = [] }: UserWords): string {
  return over.reduce(
    // With a function, because `$&` in a string has a special meaning.
    (marked, each) =>
      marked.replace(`${each}${OVER}`, () => each).replace(each, () => `${each}${OVER}`),
    text,
  )
}

const BEFORE_SENTENCE = /(?:[\n…。！？]|[.!?]["')\]]?\s)\s*(?:(?:[-*•]|\d{1,2}[.)])\s+)?$/
const BEHIND_SENTENCE = /^(?:\s*(?:\n|…|$)| \(said )/
const ENDS_ITSELF = /[.!?…。！？]["')\]]?$/
/** Context needed to decide whether a text is a sentence of its own. */
const AROUND_CHARS = 12

/** Whether a text contains the sentence on its own, not inside another. */
export function saysWhole(text: string, sentence: string): boolean {
  const lines = `\n${text}`
  for (let at = lines.indexOf(sentence); at >= 0; at = lines.indexOf(sentence, at + 1)) {
    const end = at + sentence.length
    const before = lines.slice(Math.max(0, at - AROUND_CHARS), at)
    const behind = lines.slice(end, end + AROUND_CHARS)
    const isEnded =
      BEHIND_SENTENCE.test(behind) || (ENDS_ITSELF.test(sentence) && /^\s/.test(behind))
    if (BEFORE_SENTENCE.test(before) && isEnded) return true
  }
  return false
}

/** A short statement may bind in a way no cue knows. */
const LONGEST_STATED_TOKENS = 30

/** Statements of messages without room, shortest first. */
function statedBriefly(
  words: readonly UserWords[],
  roomTokens: number,
  statements: (word: UserWords) => readonly string[],
): ReadonlyMap<UserWords, string> {
  let room = roomTokens
  if (room === 0) return new Map()
  const stated = words
    .flatMap((word) => statements(word).map((text) => ({ text, tokens: estimateTokens(text) })))
    .filter(({ tokens }) => tokens <= LONGEST_STATED_TOKENS)
    .sort((a, b) => a.tokens - b.tokens)
  const taken = new Set<string>()
  for (const { text, tokens } of stated) {
    room -= taken.has(text) ? 0 : tokens + REF_TOKENS
    if (room < 0) break
    taken.add(text)
  }
  const texts = new Map<UserWords, string>()
  for (const word of words) {
    const kept = statements(word).filter((text) => taken.delete(text))
    if (kept.length > 0) texts.set(word, `… ${kept.join(' … ')}`)
  }
  return texts
}

const HEADINGS = new RegExp(`^(?=## (?:${TITLES.join('|')})$)`, 'gm')

/** Escapes lines that look like a brief's headings. */
export function withoutHeadings(text: string): string {
  return text.replace(HEADINGS, ' ')
}

/** Conversation text for a brief: escaped, so nothing reads as a heading, ref or tag. */
export function inert(text: string): string {
  return withoutHeadings(asData(text))
}
