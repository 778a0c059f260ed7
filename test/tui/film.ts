// A film of a terminal as one SVG: every picture is shown for its time, and then it begins anew.
import type { Cell } from './headless-terminal.ts'

export interface Picture {
  readonly rows: readonly (readonly Cell[])[]
  readonly seconds: number
}

const CELL_WIDTH = 8.4
const CELL_HEIGHT = 18
const MARGIN = 14
const FONT = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace'
const INK = '#d6deeb'
const PAPER = '#10151f'
/** The eight colours by their number. */
const COLORS = ['#5c6773', '#ff6b6b', '#7ee787', '#f2cc60', '#79c0ff', '#d2a8ff', '#56d4dd', INK]

const CHAT = 'A chat in the terminal that is compacted and goes on in a fresh session'

export function filmOf(
  pictures: readonly Picture[],
  columns: number,
  rows: number,
  label = CHAT,
): string {
  const width = Math.ceil(columns * CELL_WIDTH + 2 * MARGIN)
  const height = rows * CELL_HEIGHT + 2 * MARGIN
  const length = pictures.reduce((sum, { seconds }) => sum + seconds, 0)
  let at = 0
  const shown = pictures.map((picture, index) => {
    const from = at / length
    at += picture.seconds
    return pictureOf(picture, index, from, at / length, length)
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">`,
    `<style>text{font:14px ${FONT};fill:${INK};white-space:pre}.b{font-weight:700}.d{opacity:.6}.i{font-style:italic}</style>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${PAPER}"/>`,
    ...shown,
    '</svg>',
    '',
  ].join('\n')
}

/** A still image shows the last picture. */
function pictureOf(
  { rows }: Picture,
  index: number,
  from: number,
  until: number,
  length: number,
): string {
  const lines = rows.map(lineOf).filter((line) => line !== '')
  const times = [0, from, until, 1].map((time) => time.toFixed(4)).join(';')
  return [
    `<g id="p${index}" visibility="${until >= 1 ? 'visible' : 'hidden'}">`,
    `<animate attributeName="visibility" values="hidden;visible;${until >= 1 ? 'visible' : 'hidden'};hidden" keyTimes="${times}" dur="${length.toFixed(1)}s" repeatCount="indefinite" calcMode="discrete"/>`,
    ...lines,
    '</g>',
  ].join('\n')
}

function lineOf(cells: readonly Cell[], row: number): string {
  const runs: { readonly style: string; readonly column: number; text: string }[] = []
  for (const [column, cell] of cells.entries()) {
    const style = styleOf(cell)
    const last = runs.at(-1)
    if (last?.style === style) last.text += cell.text
    else runs.push({ style, column, text: cell.text })
  }
  const y = MARGIN + (row + 0.75) * CELL_HEIGHT
  return runs
    .filter(({ text }) => text.trim() !== '')
    .map(({ style, column, text }) => {
      // Some programs leave out blanks at the beginning of a text.
      const blanks = text.length - text.trimStart().length
      const x = (MARGIN + (column + blanks) * CELL_WIDTH).toFixed(1)
      return `<text x="${x}" y="${y.toFixed(1)}"${style}>${escaped(text.trim())}</text>`
    })
    .join('')
}

function styleOf({ isBold, isDim, isItalic, color }: Cell): string {
  const names = [isBold && 'b', isDim && 'd', isItalic && 'i'].filter(Boolean).join(' ')
  const fill = color === undefined ? '' : ` style="fill:${COLORS[color % 8]}"`
  return `${names === '' ? '' : ` class="${names}"`}${fill}`
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
}
