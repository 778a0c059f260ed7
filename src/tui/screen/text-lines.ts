// Lines that fit: wrapped, cut, indented, ruled.
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from '@earendil-works/pi-tui'

/** Wrapped to the width; an empty text has no lines. */
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

/** Behind a mark on the first line, and under it on the others. */
export function marked(mark: string, lines: readonly string[]): string[] {
  const indent = ' '.repeat(visibleWidth(mark))
  return lines.map((line, index) => (index === 0 ? mark + line : indent + line).trimEnd())
}

/** A line across, with words in it. */
export function rule(words: string, width: number): string {
  if (words === '') return '─'.repeat(width)
  const text = cut(words, Math.max(1, width - 6))
  return `── ${text} ${'─'.repeat(Math.max(0, width - visibleWidth(text) - 4))}`
}
