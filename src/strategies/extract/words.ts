// The user's words for a brief: the first message and the newest, long pastes in part.
import type { EntryId } from '../../core/edit/change.ts'
import { originalId } from '../../core/view/entry.ts'
import { estimateTokens } from '../../core/window/tokens/estimate.ts'
import { asRef, headAndTail } from '../elision.ts'
import type { UserWords } from './digest.ts'
import { inert } from './inert.ts'

/** A longer message is a paste: its beginning and its end are shown. */
const PASTE_TOKENS = 300
/** Less of a message would say nothing. */
const LEAST_TOKENS = 40
const REF_TOKENS = 7
/** The first message says what all of this is for; it may take so much of the room. */
const GOAL_SHARE = 0.5

/** Words of the user as a brief shows them. */
export interface ShownWords {
  readonly ref: EntryId
  readonly text: string
  readonly isGoal: boolean
}

/** In the order of the conversation; `isShown` are those that the context shows anyhow. */
export function shownWords(
  words: readonly UserWords[],
  isShown: (seq: number) => boolean,
  roomTokens: number,
): ShownWords[] {
  const shown = new Map<UserWords, ShownWords>()
  let room = roomTokens
  const [goal] = words
  const take = (word: UserWords, mostTokens: number) => {
    const ref = word.entry ?? originalId(word.seq)
    const text = inert(word.text)
    const most = Math.min(mostTokens, room, PASTE_TOKENS) - REF_TOKENS
    const isWhole = estimateTokens(text) <= most
    if (!isWhole && most < LEAST_TOKENS) return
    const fitted = isWhole ? text : headAndTail(text, most, asRef(ref))
    shown.set(word, { ref, text: fitted, isGoal: word === goal })
    room -= estimateTokens(fitted) + REF_TOKENS
  }
  if (goal && !isShown(goal.seq)) take(goal, roomTokens * GOAL_SHARE)
  for (const word of words.toReversed())
    if (word !== goal && !isShown(word.seq)) take(word, roomTokens)
  return words.flatMap((word) => shown.get(word) ?? [])
}
