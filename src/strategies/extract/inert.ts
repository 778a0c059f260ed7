// Text of a conversation for a brief: nothing that it says is read as a heading, a ref or a tag.
import { asData, oneLine } from '../summary/as-data.ts'
import { TITLES } from './brief-frame.ts'

const HEADINGS = new RegExp(`^(?=## (?:${TITLES.join('|')})$)`, 'gm')

export function inert(text: string): string {
  return asData(text).replace(HEADINGS, ' ')
}

/** The same on one line. */
export function inertLine(text: string): string {
  return oneLine(text).replace(HEADINGS, ' ')
}
