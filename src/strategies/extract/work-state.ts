// The state of the work: current ledger facts with their age, and what comes next.
import type { Ledger } from '../../core/ledger/records.ts'
import { originalId } from '../../core/view/entry.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import { asRef } from '../trim.ts'
import type { Digest } from './digest.ts'
import type { UserWords } from './group.ts'

/** Younger facts show no age. */
const OLD_ANSWERS = 10

/** ` (12 answers ago)`: age in answers of the agent. */
export function ageIn(digest: Pick<Digest, 'answersSince'>): (seq: number) => string {
  return (seq) => {
    const answers = digest.answersSince(seq)
    return answers < OLD_ANSWERS ? '' : ` (${answers} answers ago)`
  }
}

/**
 * The current ledger. A failure before a request that was answered is solved or abandoned; of an older todo
 * list only open items count.
 */
export function currentLedger(ledger: Ledger, settledAt: number): Ledger {
  const { errors, todos, todosAt = 0 } = ledger
  const isStale = todosAt > 0 && todosAt < settledAt
  return {
    ...ledger,
    errors: errors.filter(({ at }) => at > settledAt),
    todos: isStale
      ? todos.filter(({ status }) => status === 'pending' || status === 'in_progress')
      : todos,
  }
}

const LAST_WORDS_CHARS = 400

const LEAST_WORDS_CHARS = 160

/** In characters per token of the room: at most a tenth. */
const CHARS_PER_TOKEN = 0.12

/**
 * Whether the last request is answered, unless something else says so (`isNoted`), and the agent's last words
 * if they are not in the context.
 */
export function nowLines(
  digest: Digest,
  isShown: (seq: number) => boolean,
  inert: (text: string) => string,
  { roomTokens, isNoted }: { readonly roomTokens: number; readonly isNoted: boolean },
): string[] {
  const { words, lastEnd, lastWords, refusedAt } = digest
  const last = isNoted ? undefined : words.at(-1)
  const most = Math.min(LAST_WORDS_CHARS, Math.floor(roomTokens * CHARS_PER_TOKEN))
  const isSaid = most >= LEAST_WORDS_CHARS && lastWords && !isShown(lastWords.seq)
  const said = isSaid ? lastWords : undefined
  const open = last && refusedAt > last.seq ? REFUSED : OPEN
  return [
    ...(last ? [`${buildRef(last)} ${lastEnd > last.seq ? answeredBy(digest) : open}`] : []),
    ...(said
      ? [
          `${asRef(originalId(said.seq))} The assistant said last: ${inert(shortened(said.text, most))}`,
        ]
      : []),
  ]
}

const ANSWERED = 'The last request is answered; nothing is under way.'

const ASKED = 'The last request is answered; the assistant asked the user something and waits.'

const QUESTION = /[?？][\s"'”’)*_`]*$/

function answeredBy({ lastWords, lastEnd }: Digest): string {
  return lastWords?.seq === lastEnd && QUESTION.test(lastWords.text) ? ASKED : ANSWERED
}

const OPEN = 'The last request is not answered yet: the work on it goes on.'

const REFUSED = 'The last call was refused: nothing of it was done, and the user has the word.'

function buildRef({ entry, seq }: UserWords): string {
  return asRef(entry ?? originalId(seq))
}

/** Up to a sentence end if possible. */
function shortened(text: string, most: number): string {
  const line = text.trim().replace(/\s+/g, ' ')
  if (line.length <= most) return line
  const head = cutHead(line, most)
  const end = Math.max(head.lastIndexOf('. '), head.lastIndexOf('? '), head.lastIndexOf(': '))
  return end > most / 2 ? head.slice(0, end + 1) : `${cutHead(head, head.lastIndexOf(' '))} …`
}
