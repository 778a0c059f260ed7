// Text of a transcript made harmless for a terminal: nothing in it may move the cursor, hide or disguise.
import { escapeSteering } from '../../protocol/index.ts'

/** Colours and moves of the cursor, which hold no words. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the point
const COLOURS = /\u001b\[[0-?]*[ -/]*[@-~]/g
const TAB = '    '

/** Colours go; other controls are shown by their number; lines stay lines. */
export function visible(text: string): string {
  return escapeSteering(text.replace(/\r\n/g, '\n').replace(COLOURS, '')).replaceAll('\t', TAB)
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return visible(text).replace(/\s*\n\s*/g, ' ')
}
