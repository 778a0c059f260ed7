// Markdown as lines of a terminal. An answer that still grows is drawn piece by piece: only its last is new.
import { Markdown } from '@earendil-works/pi-tui'
import { visible } from './text-lines.ts'
import type { Theme } from './theme.ts'

export function markdownLines(text: string, width: number, theme: Theme): string[] {
  return new Markdown(visible(text).trim(), 0, 0, theme.markdown)
    .render(width)
    .map((line) => line.trimEnd())
}

/** The drawn part of a growing text: the lines of finished pieces, and where the rest begins. */
export interface GrowingLines {
  readonly width: number
  readonly doneUntil: number
  readonly doneLines: readonly string[]
  readonly lines: readonly string[]
}

/** The text must start with the text of `before`. */
export function growMarkdown(
  text: string,
  width: number,
  theme: Theme,
  before: GrowingLines | undefined,
): GrowingLines {
  const known = before?.width === width ? before : undefined
  let doneUntil = known?.doneUntil ?? 0
  let doneLines = known?.doneLines ?? []
  const end = lastBreak(text, doneUntil)
  if (end > doneUntil) {
    const piece = markdownLines(text.slice(doneUntil, end), width, theme)
    doneLines = joined(doneLines, piece)
    doneUntil = end
  }
  const tail = markdownLines(text.slice(doneUntil), width, theme)
  return { width, doneUntil, doneLines, lines: joined(doneLines, tail) }
}

/** After the last blank line outside fenced blocks: nothing before it will change. */
function lastBreak(text: string, from: number): number {
  let isFenced = false
  let found = from
  let at = from
  while (at < text.length) {
    const next = text.indexOf('\n', at)
    if (next === -1) break
    const line = text.slice(at, next)
    if (/^\s{0,3}(?:```|~~~)/.test(line)) isFenced = !isFenced
    // A list or quote may continue after a blank line, with its numbers.
    else if (!isFenced && line.trim() === '' && /^[^\s>*+\-\d]/.test(text.slice(next + 1)))
      found = next + 1
    at = next + 1
  }
  return found
}

function joined(above: readonly string[], below: readonly string[]): readonly string[] {
  if (above.length === 0) return below
  return below.length === 0 ? above : [...above, '', ...below]
}
