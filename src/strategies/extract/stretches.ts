// Joins adjacent selected lines into passages.
import { oneLine } from '../summary/as-data.ts'
import type { Digest } from './digest.ts'
import type { Line } from './lines.ts'
import { inert, withoutHeadings } from './said-words.ts'

/** What may separate lines of a passage: line ends, indentation, a bracket. */
const LONGEST_GAP_CHARS = 20

/** For a brief or a partly shown result, by sorted line numbers. */
export function findStretches(digest: Digest, indices: readonly number[]): string[] {
  const stretches: string[] = []
  for (let at = 0; at < indices.length; ) {
    const first = digest.lines[indices[at] as number] as Line
    let last = first
    for (at += 1; at < indices.length; at += 1) {
      const next = digest.lines[indices[at] as number] as Line
      if (indices[at] !== (indices[at - 1] as number) + 1 || !follows(last, next)) break
      last = next
    }
    stretches.push(inertStretch(first, last))
  }
  return stretches
}

function follows(line: Line, next: Line): boolean {
  const gap = next.from - findEnd(line)
  return line.of === next.of && gap >= 0 && gap <= LONGEST_GAP_CHARS
}

function findEnd({ from, text }: Line): number {
  return from + text.length
}

/** Cached by first line: briefs are written several times until they fit, mostly with the same passages. */
const inertStretches = new WeakMap<Line, { readonly last: Line; readonly text: string }>()

function inertStretch(first: Line, last: Line): string {
  const known = inertStretches.get(first)
  if (known?.last === last) return known.text
  const text = inert(first.of.text.slice(first.from, findEnd(last)))
  inertStretches.set(first, { last, text })
  return text
}

/** Conversation text on one line, escaped. */
export function inertLine(text: string): string {
  return withoutHeadings(oneLine(text))
}
