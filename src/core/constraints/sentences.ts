// Splits typed text into sentences, without pasted code, quotations, logs and mails.
import type { Line } from './listings.ts'
import { typedLines } from './pasted.ts'

/** Longer ones are pasted. */
const LONGEST_CHARS = 600
/** A longer message is a document; binding text is searched at its start and end. */
const READ_CHARS = 2_000

/** The end of a sentence: a mark and a blank, or a mark of a script without blanks. */
const ENDS = /(?<=[.!?…]["')\]]?)\s+(?=\S)|(?<=[。！？][」』”’）]?)(?![」』”’）])/g
/** Text in quotation marks: a full stop inside ends no sentence, one at its end does. */
const QUOTATION =
  /"[^"]{3,}"|“[^“”]{3,}”|„[^„“”]{3,}[“”]|«[^«»]{3,}»|»[^«»]{3,}«|「[^「」]{3,}」|『[^『』]{3,}』/gu

/** Substrings of the text, as typed. */
export function findSentences(text: string): string[] {
  return sentencesIn(readLines(text))
}

/** The lines to read: typed ones, and of a long message both ends. */
export function readLines(text: string): Line[] {
  const isRead = ({ at, text: line }: Line) =>
    text.length <= 2 * READ_CHARS ||
    at + line.length <= READ_CHARS ||
    at >= text.length - READ_CHARS
  return typedLines(text).filter(isRead)
}

export function sentencesIn(lines: readonly Line[]): string[] {
  const found: string[] = []
  for (const { text: line } of lines) {
    for (const piece of splitSentences(line)) {
      const sentence = piece
        .replace(
          /^\s*(?:[-*•+](?:\s+|(?=\p{L}))|(?:\d{1,2}|[a-h])[.)]\s+|\d{1,2}(?:\.\d{1,2})+\.?\s+|\((?:\d{1,2}|[a-h])\)\s+)/u,
          '',
        )
        .trim()
      if (sentence.length >= 3 && sentence.length <= LONGEST_CHARS) found.push(sentence)
    }
  }
  return found
}

function splitSentences(line: string): string[] {
  const masked = line.replace(QUOTATION, (quoted) => quoted.slice(-2).padStart(quoted.length, '_'))
  const pieces: string[] = []
  let from = 0
  for (const { index, 0: blank } of masked.matchAll(ENDS)) {
    pieces.push(line.slice(from, index))
    from = index + blank.length
  }
  return [...pieces, line.slice(from)]
}
