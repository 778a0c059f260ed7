// Before and after side by side: which lines of the new text come from which entry, and the changed words.
import { diffWordsWithSpace } from 'diff'
import type { DiffEntry } from '../../../protocol/index.ts'
import { visibleText } from '../../shown-text.ts'
import { splitEnvelope } from '../../words.ts'

/** Comparing longer texts by words would freeze the page. */
const MOST_CHARS = 20_000
const MOST_EDITS = 4_000
/** How much of an entry is searched for lines that come from it. */
const LOOKED_CHARS = 4_000
/** A line comes from an entry if it has at least this share of its words, weighted by rarity. */
const LEAST_PART = 0.5
/** Briefs quote the lines they keep. */
const QUOTE = /^\s*> ?/

export interface Piece {
  readonly text: string
  readonly isChanged: boolean
}

/** A matching part of two texts. */
export interface AlignedRow {
  readonly was: readonly Piece[]
  readonly is: readonly Piece[]
  readonly isSame: boolean
}

/** Undefined if the texts are too long or too different. */
export function alignTexts(before: string, after: string): AlignedRow[] | undefined {
  if (before.length + after.length > MOST_CHARS) return undefined
  const parts = diffWordsWithSpace(visibleText(before), visibleText(after), {
    maxEditLength: MOST_EDITS,
  })
  if (!parts) return undefined
  const rows: AlignedRow[] = []
  let [was, is]: [Piece[], Piece[]] = [[], []]
  const close = () => {
    const isSame = [...was, ...is].every(({ isChanged }) => !isChanged)
    if (was.length + is.length > 0) rows.push({ was, is, isSame })
    was = []
    is = []
  }
  for (const { value, added, removed } of parts) {
    // Differences in spacing do not count.
    const piece = { text: value, isChanged: /\S/.test(value) }
    if (added) is.push(piece)
    else if (removed) was.push(piece)
    // Both texts break the line here, so the next parts align.
    else
      for (const line of value.split(/(?<=\n)/)) {
        was.push({ text: line, isChanged: false })
        is.push({ text: line, isChanged: false })
        if (line.endsWith('\n')) close()
      }
  }
  close()
  return joined(rows)
}

/** Merges adjacent rows that are equal on both sides. */
function joined(rows: readonly AlignedRow[]): AlignedRow[] {
  const all: AlignedRow[] = []
  for (const row of rows) {
    const last = all.at(-1)
    if (last?.isSame && row.isSame)
      all[all.length - 1] = {
        was: [...last.was, ...row.was],
        is: [...last.is, ...row.is],
        isSame: true,
      }
    else all.push(row)
  }
  return all
}

export interface Matched {
  readonly entry: DiffEntry
  /** The added lines that come from it; empty if there are none. */
  readonly text: string
}

/** Each removed entry with what remains of it in the added ones. */
export function matchEntries(
  removed: readonly DiffEntry[],
  added: readonly DiffEntry[],
): Matched[] {
  const [only] = removed
  const bodies = added.map(({ text }) => splitEnvelope(text).body)
  if (removed.length === 1 && only) return [{ entry: only, text: bodies.join('\n') }]
  const places = findPlaces(removed)
  const lines = new Map<number, string[]>()
  for (const quoted of bodies.flatMap((body) => body.split('\n'))) {
    const line = quoted.replace(QUOTE, '')
    const place = findSource(line, places, removed.length)
    if (place !== undefined) lines.set(place, [...(lines.get(place) ?? []), line])
  }
  return removed.map((entry, at) => ({ entry, text: (lines.get(at) ?? []).join('\n') }))
}

/** The entries each word occurs in. */
function findPlaces(entries: readonly DiffEntry[]): ReadonlyMap<string, ReadonlySet<number>> {
  const places = new Map<string, Set<number>>()
  for (const [at, { text }] of entries.entries())
    for (const word of splitWords(text.slice(0, LOOKED_CHARS))) {
      const known = places.get(word)
      if (known) known.add(at)
      else places.set(word, new Set([at]))
    }
  return places
}

function findSource(
  line: string,
  places: ReadonlyMap<string, ReadonlySet<number>>,
  entries: number,
): number | undefined {
  const scores = new Map<number, number>()
  let whole = 0
  for (const word of splitWords(line)) {
    const found = places.get(word) ?? new Set<number>()
    const weight = Math.log(1 + entries / (1 + found.size))
    whole += weight
    for (const at of found) scores.set(at, (scores.get(at) ?? 0) + weight)
  }
  let best: readonly [number, number] | undefined
  for (const scored of scores) if (scored[1] > (best?.[1] ?? 0)) best = scored
  return best && best[1] >= LEAST_PART * whole ? best[0] : undefined
}

function splitWords(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])
}
