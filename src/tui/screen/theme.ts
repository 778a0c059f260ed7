// The theme: few colours, each with a meaning, none with NO_COLOR.
import {
  type EditorTheme,
  type MarkdownTheme,
  type SelectListTheme,
  truncateToWidth,
  visibleWidth,
  wrapTextWithAnsi,
} from '@earendil-works/pi-tui'
import { escapeSteering } from '../../protocol/index.ts'

type Paint = (text: string) => string

export interface Theme {
  readonly bold: Paint
  readonly dim: Paint
  readonly italic: Paint
  readonly inverse: Paint
  readonly accent: Paint
  readonly good: Paint
  readonly warning: Paint
  readonly bad: Paint
  readonly markdown: MarkdownTheme
  readonly select: SelectListTheme
  readonly editor: EditorTheme
}

export function createTheme(hasColor: boolean): Theme {
  const color = (code: number): Paint => (hasColor ? sgr(code, 39) : plain)
  const bold = sgr(1, 22)
  const dim = sgr(2, 22)
  const italic = sgr(3, 23)
  const inverse = sgr(7, 27)
  const accent = color(36)
  const select: SelectListTheme = {
    selectedPrefix: accent,
    selectedText: bold,
    description: dim,
    scrollInfo: dim,
    noMatch: dim,
  }
  return {
    bold,
    dim,
    italic,
    inverse,
    accent,
    good: color(32),
    warning: color(33),
    bad: color(31),
    select,
    editor: { borderColor: dim, selectList: select },
    markdown: {
      heading: (text) => bold(accent(text)),
      link: sgr(4, 24),
      linkUrl: dim,
      code: accent,
      codeBlock: plain,
      codeBlockBorder: dim,
      quote: italic,
      quoteBorder: dim,
      hr: dim,
      listBullet: accent,
      bold,
      italic,
      strikethrough: sgr(9, 29),
      underline: sgr(4, 24),
    },
  }
}

function sgr(open: number, close: number): Paint {
  return (text) => (text === '' ? '' : `\u001b[${open}m${text}\u001b[${close}m`)
}

function plain(text: string): string {
  return text
}

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
