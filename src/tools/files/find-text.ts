// Finds a text in a file exactly, with any line breaks, or finds similar places.

/** A place in a text, from `start` to `end` (exclusive). */
export interface Match {
  readonly start: number
  readonly end: number
}

/**
 * All non-overlapping places of `wanted`. Line feeds also match Windows line breaks; carriage returns match
 * only themselves.
 */
export function findText(text: string, wanted: string): Match[] {
  const lines = wanted.includes('\r') ? [wanted] : wanted.split('\n')
  const pattern = new RegExp(lines.map(literal).join('\\r?\\n'), 'g')
  return [...text.matchAll(pattern)].map(({ index, 0: found }) => ({
    start: index,
    end: index + found.length,
  }))
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** The line number of a place, from 1. */
export function lineAt(text: string, place: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < place; at = text.indexOf('\n', at + 1))
    line += 1
  return line
}

/** Lines the caller probably meant. */
interface NearLines {
  readonly kind: 'same-but-for-spaces' | 'first-line'
  readonly line: number // from 1
  readonly text: string
}

const MOST_NEAR = 3

/** Shorter lines, such as a bracket, resemble too many others. */
const LEAST_LINE_CHARS = 4

/** Passages that differ only in white space and quotes; otherwise lines similar to the first one. */
export function findNearLines(text: string, wanted: string): NearLines[] {
  const lines = text.split(/\r?\n/)
  const folded = lines.map(fold)
  const sought = trimEmpty(wanted.split(/\r?\n/).map(fold))
  const [first = ''] = sought
  if (first === '') return []
  const stretches = findPlaces(folded, sought)
  if (stretches.length > 0)
    return stretches.map((at) => ({
      kind: 'same-but-for-spaces',
      line: at + 1,
      text: lines.slice(at, at + sought.length).join('\n'),
    }))
  if (first.length < LEAST_LINE_CHARS) return []
  return findPlaces(folded, [first]).map((at) => ({
    kind: 'first-line',
    line: at + 1,
    text: lines[at] ?? '',
  }))
}

/** Where the lines follow each other; the first and the last may match in part. */
function findPlaces(lines: readonly string[], sought: readonly string[]): number[] {
  const places: number[] = []
  const last = sought.length - 1
  for (let at = 0; at + last < lines.length && places.length < MOST_NEAR; at += 1) {
    const isHere = sought.every((wanted, n) => {
      const line = lines[at + n] ?? ''
      if (last === 0) return line.includes(wanted)
      if (n === 0) return line.endsWith(wanted)
      return n === last ? line.startsWith(wanted) : line === wanted
    })
    if (isHere) places.push(at)
  }
  return places
}

/** What careless copies get wrong: white space, quotes and dashes. */
function fold(line: string): string {
  return line
    .normalize('NFKC')
    .replace(/[\u2018\u2019\u201a\u201b]/g, "'")
    .replace(/[\u201c\u201d\u201e\u201f]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
}

function trimEmpty(lines: readonly string[]): string[] {
  const start = lines.findIndex((line) => line !== '')
  const end = lines.findLastIndex((line) => line !== '')
  return start === -1 ? [] : lines.slice(start, end + 1)
}
