// Text of a conversation for a brief: nothing that it says is read as a heading, a ref or a tag.
import { asData } from '../as-data.ts'

const HEADINGS = /^(?=## (?:Goal|Constraints|The user said|State|Decisions|Excerpts|Names)$)/gm

export function inert(text: string): string {
  return asData(text).replace(HEADINGS, ' ')
}
