// Which entries became which in one change, from its edits.
import type { Edit, EntryId } from '../../core/edit/change.ts'
import { collectPuts, isNewEntry, newId, parseEntryId } from '../../core/view/entry.ts'
import type { DiffEntry, ViewDiff } from '../../protocol/client.ts'

/** The number of the adding edit, for each entry it takes or adds. */
interface Pieces {
  of(ref: string): number | undefined
  /** A single entry that was rewritten in place. */
  isRewrite(piece: number): boolean
}

export function findPieces(edits: readonly Edit[], seq: number): Pieces {
  const pieces = new Map<string, number>()
  const spans: (readonly [first: number, last: number, piece: number])[] = []
  const rewrites = new Set<number>()
  let index = 0
  for (const [piece, edit] of edits.entries()) {
    const puts = collectPuts(edit).filter((put) => !('keep' in put))
    const entries = puts.filter(isNewEntry)
    for (const put of puts) {
      if (isNewEntry(put)) pieces.set(newId(seq, index), piece)
      index += 1
    }
    if (entries.length === 0) continue
    if (entries.every((entry) => entry.of !== undefined)) rewrites.add(piece)
    for (const run of edit.covers)
      if (typeof run === 'string') pieces.set(run, piece)
      else spans.push([parseEntryId(run[0]).seq, parseEntryId(run[1]).seq, piece])
  }
  const inSpan = (ref: string) => {
    const parsed = parseEntryId(ref as EntryId)
    return parsed.original
      ? spans.find(([first, last]) => first <= parsed.seq && parsed.seq <= last)?.[2]
      : undefined
  }
  return {
    of: (ref) => pieces.get(ref) ?? inSpan(ref),
    isRewrite: (piece) => rewrites.has(piece),
  }
}

interface Paired {
  readonly removed: string[]
  readonly added: string[]
}

/** Between two kept entries, the old ones became the new ones: pair them by edit. */
export function pairUp(
  before: readonly DiffEntry[],
  after: readonly DiffEntry[],
  pieces: Pieces,
): ViewDiff['changes'] {
  const changes: Paired[] = []
  let at = 0
  let change: Paired = { removed: [], added: [] }
  const close = () => {
    changes.push(...apart(change, pieces))
    change = { removed: [], added: [] }
  }
  for (const entry of before) {
    if (entry.state === 'removed') {
      change.removed.push(entry.ref)
      continue
    }
    for (; at < after.length && after[at]?.state === 'added'; at += 1)
      change.added.push(after[at]?.ref ?? '')
    close()
    at += 1
  }
  change.added.push(...after.slice(at).map(({ ref }) => ref))
  close()
  return changes
}

/**
 * What an edit added stands for what it removed. Entries removed without replacement share a note, if there
 * is one.
 */
function apart({ removed, added }: Paired, pieces: Pieces): Paired[] {
  const found = [...removed, ...added].map((ref) => pieces.of(ref))
  const note = found.find((piece) => piece !== undefined && !pieces.isRewrite(piece))
  const all = new Map<number | undefined, Paired>()
  const under = (ref: string) => {
    const piece = pieces.of(ref) ?? note
    const known = all.get(piece) ?? { removed: [], added: [] }
    all.set(piece, known)
    return known
  }
  for (const ref of removed) under(ref).removed.push(ref)
  for (const ref of added) under(ref).added.push(ref)
  return [...all.values()]
}
