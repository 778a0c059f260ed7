// What the user said in what is summarised away: word for word, the newest first to be kept, each with its ref.
import { textOfUserContent } from '../core/content.ts'
import type { Item } from '../core/entry.ts'
import { contentOf } from '../core/entry-content.ts'
import type { EventAt } from '../core/event.ts'
import { cutHead, cutTail } from '../core/tokens/cut.ts'
import { estimateTokens } from '../core/tokens/estimate.ts'
import { asData } from './as-data.ts'
import { isSaidByUser } from './keep-recent-cut.ts'

export type UserWord = {
  readonly ref: string
  readonly text: string
}

/** A longer message is a paste: its beginning and its end are shown. */
const LONG_CHARS = 1_200
const HEAD_CHARS = 800
const TAIL_CHARS = 200

/** In the order of the conversation; `earlier` are those that a former summary held. */
export function userWords(
  items: readonly Item[],
  eventAt: EventAt,
  earlier: readonly UserWord[],
  maxTokens: number,
): UserWord[] {
  const said = items
    .filter((item) => isSaidByUser(item, eventAt))
    .map((item): UserWord => {
      const content = contentOf(item.id, eventAt)
      const text = content?.kind === 'user' ? textOfUserContent(content.content) : ''
      return { ref: item.id, text: elided(text.trim()) }
    })
  const kept: UserWord[] = []
  let tokens = 0
  for (const word of [...earlier, ...said].toReversed()) {
    if (word.text === '') continue
    tokens += estimateTokens(lineOf(word))
    if (tokens > maxTokens) break
    kept.unshift(word)
  }
  return kept
}

/** Indented behind its ref, so that no line of it stands as one of the summary. */
export function lineOf({ ref, text }: UserWord): string {
  return `[ref:${ref}] ${asData(text).replaceAll('\n', '\n  ')}`
}

function elided(text: string): string {
  if (text.length <= LONG_CHARS) return text
  const [head, tail] = [cutHead(text, HEAD_CHARS), cutTail(text, TAIL_CHARS)]
  return `${head}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail}`
}
