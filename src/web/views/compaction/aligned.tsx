// Before and after in two aligned columns, or one if narrow, with the reason for each drop.
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { DiffEntry, ViewDiff } from '../../../protocol/index.ts'
import { useLinks } from '../../links.ts'
import { countText, tokensText } from '../../shown-text.ts'
import { splitEnvelope } from '../../words.ts'
import { Markdown } from '../markdown.tsx'
import { matchEntries } from './align.ts'
import { type FoundLines, findLines, soughtWords } from './find-words.ts'
import { EntryHead, Pair } from './pair.tsx'

/** Others are drawn on request. */
const SHOWN_CHANGES = 20
const SHOWN_ENTRIES = 6
/** Minimum width for two columns. */
const TWO_COLUMNS_PX = 640

/** One row for each removed entry, next to what remains of it. */
export function Aligned({
  diff,
  canBringBack = false,
}: {
  readonly diff: ViewDiff
  /** The compaction was applied and is in effect. */
  readonly canBringBack?: boolean
}) {
  const [shown, setShown] = useState(SHOWN_CHANGES)
  const [sought, setSought] = useState('')
  const [place, isWide] = useWide()
  const before = new Map(diff.before.map((entry) => [entry.ref, entry]))
  const after = new Map(diff.after.map((entry) => [entry.ref, entry]))
  const kept = diff.before.filter(({ state }) => state === 'kept').length
  const found = useMemo(() => holding(diff, sought), [diff, sought])
  const changes = diff.changes.filter(
    ({ removed }) => !found || removed.some((ref) => found.has(ref)),
  )
  const lines = [...(found?.values() ?? [])].reduce((sum, { count }) => sum + count, 0)
  const left = changes.length - shown
  return (
    <section ref={place} aria-label="Before and after" className="aligned" data-wide={isWide}>
      <h3>Before and after</h3>
      <p className="quiet">{countText(kept, 'entry is', 'entries are')} the same on both sides.</p>
      <input
        type="search"
        aria-label="Find in what was removed"
        placeholder="Find in what was removed, such as: port"
        value={sought}
        onChange={(event) => setSought(event.target.value)}
      />
      {changes.length === 0 && (
        <p className="quiet" role="status">
          No removed entry has these words. Recall searches the whole thread.
        </p>
      )}
      {found && found.size > 0 && (
        <p className="quiet" role="status">
          {countText(lines, 'line', 'lines')} in {countText(found.size, 'entry', 'entries')}
        </p>
      )}
      {changes.slice(0, shown).map(({ removed, added }) => (
        <Changed
          key={removed[0] ?? added[0]}
          removed={removed.flatMap((ref) => before.get(ref) ?? [])}
          added={added.flatMap((ref) => after.get(ref) ?? [])}
          found={found}
          isWide={isWide}
          canBringBack={canBringBack}
        />
      ))}
      {left > 0 && (
        <button
          type="button"
          className="small"
          onClick={() => setShown(shown + 10 * SHOWN_CHANGES)}
        >
          {left.toLocaleString()} more
        </button>
      )}
    </section>
  )
}

type Found = ReadonlyMap<string, FoundLines>

/** Removed entries that contain all of these words, with the lines; undefined without words. */
function holding({ before }: ViewDiff, sought: string): Found | undefined {
  const words = soughtWords(sought)
  if (words.length === 0) return undefined
  return new Map(
    before.flatMap(({ ref, state, text }) => {
      const lines = state === 'removed' ? findLines(text, words) : undefined
      return lines ? [[ref, lines] as const] : []
    }),
  )
}

/** Whether there is room for two columns. */
function useWide() {
  const place = useRef<HTMLElement>(null)
  const [isWide, setWide] = useState(false)
  useLayoutEffect(() => {
    const element = place.current
    if (!element) return
    const look = () => setWide(element.clientWidth >= TWO_COLUMNS_PX)
    look()
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [place, isWide] as const
}

function Changed({
  removed,
  added,
  found,
  isWide,
  canBringBack,
}: {
  readonly removed: readonly DiffEntry[]
  readonly added: readonly DiffEntry[]
  /** Limits the rows to these. */
  readonly found: Found | undefined
  readonly isWide: boolean
  readonly canBringBack: boolean
}) {
  const { bringBack } = useLinks()
  const [put] = added
  const [shown, setShown] = useState(SHOWN_ENTRIES)
  const all = useMemo(() => matchEntries(removed, added), [removed, added])
  const matched = found ? all.filter(({ entry }) => found.has(entry.ref)) : all
  const sum = (entries: readonly DiffEntry[]) =>
    entries.reduce((total, { tokens }) => total + tokens, 0)
  return (
    <article className="changed">
      <header>
        <span className="figure">
          {matched.length < removed.length && `${matched.length.toLocaleString()} of `}
          {countText(removed.length, 'entry', 'entries')}, {tokensText(sum(removed))} →{' '}
          {added.length === 0 ? 'nothing' : `${tokensText(sum(added))} tokens`}
        </span>
        {canBringBack && put && removed.length > 1 && added.length !== removed.length && (
          <button type="button" className="small" onClick={() => bringBack(put.ref)}>
            Bring all {removed.length.toLocaleString()} back
          </button>
        )}
      </header>
      {!found && added.length > 0 && added.length !== removed.length && <Put added={added} />}
      <table className="pairs">
        <caption className="read-out">Each entry before and after</caption>
        {isWide && (
          <thead>
            <tr>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
        )}
        {matched.slice(0, shown).map((each) => (
          <Pair
            key={each.entry.ref}
            matched={each}
            found={found?.get(each.entry.ref)}
            isWide={isWide}
            canBringBack={canBringBack}
          />
        ))}
      </table>
      {matched.length > shown && (
        <button type="button" className="small" onClick={() => setShown(matched.length)}>
          {countText(matched.length - shown, 'more entry', 'more entries')}
        </button>
      )}
    </article>
  )
}

/** The full text that replaces several entries. */
function Put({ added }: { readonly added: readonly DiffEntry[] }) {
  return (
    <section aria-label="After">
      {added.map((entry) => (
        <details key={entry.ref} className="entry added" open>
          <summary>Show the replacement</summary>
          <EntryHead entry={entry} />
          <Markdown text={splitEnvelope(entry.text).body} />
        </details>
      ))}
    </section>
  )
}
