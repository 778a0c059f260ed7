// The theme: few colours, each with a meaning, none with NO_COLOR.
import type { EditorTheme, MarkdownTheme, SelectListTheme } from '@earendil-works/pi-tui'

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
