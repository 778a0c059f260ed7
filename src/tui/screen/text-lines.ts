// Lines that fit: wrapped, cut, indented, with rules, and harmless for a terminal.
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from '@earendil-works/pi-tui'
import { escapeSteering } from '../../protocol/index.ts'

// Lines that fit: wrapped, cut, indented, with rules.

/** Wraps to the width; an empty text has no lines. */
export function wrapped(text: string, width: number): string[] {
  if (text === '') return []
  return wrapTextWithAnsi(text, Math.max(1, width)).map((line) => line.trimEnd())
}

export function cut(text: string, width: number): string {
  return truncateToWidth(text, Math.max(0, width), '…')
}

export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - visibleWidth(text)))
}

/** Puts a mark before the first line and indents the others. */
export function marked(mark: string, lines: readonly string[]): string[] {
  const indent = ' '.repeat(visibleWidth(mark))
  return lines.map((line, index) => (index === 0 ? mark + line : indent + line).trimEnd())
}

/** A horizontal rule with words in it. */
export function rule(words: string, width: number): string {
  if (words === '') return '─'.repeat(width)
  const text = cut(words, Math.max(1, width - 6))
  return `── ${text} ${'─'.repeat(Math.max(0, width - visibleWidth(text) - 4))}`
}

// Makes transcript text harmless for a terminal: it cannot move the cursor, hide or disguise text.

/** Colours and cursor moves, which contain no words. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the point
const COLOURS = /\u001b\[[0-?]*[ -/]*[@-~]/g

const TAB = '    '

/** Removes colours, shows other control characters by number, keeps lines. */
export function visible(text: string): string {
  return escapeSteering(text.replace(/\r\n/g, '\n').replace(COLOURS, '')).replaceAll('\t', TAB)
}

/** The same on one line. */
export function visibleLine(text: string): string {
  return visible(text).replace(/\s*\n\s*/g, ' ')
}
