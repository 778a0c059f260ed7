// Splits typed text into sentences, without pasted code, quotations, logs and mails
import { typedLines } from './pasted.ts'

/** Longer ones are pasted text, not something that a person says in passing. */
const LONGEST_CHARS = 600
/** Beyond this a message is a document; what binds in it is found at its beginning and its end. */
const READ_CHARS = 2_000

/** The end of a sentence: a mark and a blank, or a mark of a script that needs no blank. */
const ENDS = /(?<=[.!?…]["')\]]?)\s+(?=\S)|(?<=[。！？])/

/** Substrings of the text, each as it was typed. */
export function sentencesOf(text: string): string[] {
  const found: string[] = []
  for (const line of withoutMiddle(typedLines(text), text.length)) {
    for (const piece of line.split(ENDS)) {
      const sentence = piece.replace(/^\s*(?:[-*•]|\d{1,2}[.)])\s+/, '').trim()
      if (sentence.length >= 3 && sentence.length <= LONGEST_CHARS) found.push(sentence)
    }
  }
  return found
}

interface TypedLine {
  readonly at: number
  readonly text: string
}

function withoutMiddle(lines: readonly TypedLine[], length: number): string[] {
  const isRead = ({ at, text }: TypedLine) =>
    length <= 2 * READ_CHARS || at + text.length <= READ_CHARS || at >= length - READ_CHARS
  return lines.filter(isRead).map(({ text }) => text)
}
