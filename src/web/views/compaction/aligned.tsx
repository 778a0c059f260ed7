// Before and after: two aligned columns, or one where there is no room, with the reason for each drop
import { memo, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { DiffEntry, ViewDiff } from '../../../protocol/index.ts'
import { reasonWords } from '../../strategy-words.ts'
import { useLinks } from '../../use-thread-parts.ts'
import { countText, roleWords, splitEnvelope, tokensText, visibleText } from '../../words.ts'
import { Markdown } from '../markdown.tsx'
import { BringBack, LongText } from '../texts.tsx'
import { alignTexts, type Matched, matchEntries } from './align.ts'
import { Apart, Pieces, Unified } from './diff-text.tsx'

/** More are drawn when they are asked for. */
const SHOWN_CHANGES = 20
const SHOWN_ENTRIES = 6
/** Two columns below this have no room for a sentence. */
const TWO_COLUMNS_PX = 640

/** One row for each entry that went, beside what is left of it. */
export function Aligned({
  diff,
  canBringBack = false,
}: {
  readonly diff: ViewDiff
  /** It has happened, and is in effect. */
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

/** The entries that have all of these words; undefined where none are looked for. */
function holding({ before }: ViewDiff, sought: string): ReadonlySet<string> | undefined {
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return undefined
  return new Set(
    before
      .filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)))
      .map(({ ref }) => ref),
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
  /** Only these are shown. */
  readonly found: ReadonlySet<string> | undefined
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
          <Pair key={each.entry.ref} matched={each} isWide={isWide} canBringBack={canBringBack} />
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

/** What stands for several entries together, whole. */
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

const Pair = memo(function Pair({
  matched: { entry, text },
  isWide,
  canBringBack,
}: {
  readonly matched: Matched
  readonly isWide: boolean
  readonly canBringBack: boolean
}) {
  const rows = useMemo(() => alignTexts(entry.text, text), [entry.text, text])
  const why = entry.why === undefined ? '' : reasonWords(visibleText(entry.why))
  const head = (
    <p className="pair-head">
      <EntryHead entry={entry} /> <span className="why quiet">{why}</span>
      {canBringBack && <BringBack entry={entry.ref} />}
    </p>
  )
  if (!isWide)
    return (
      <tbody className={entry.role}>
        <tr>
          <td>
            {head}
            {rows ? <Unified rows={rows} /> : <Apart before={entry.text} after={text} />}
          </td>
        </tr>
      </tbody>
    )
  if (!rows || text === '')
    return (
      <tbody className={entry.role}>
        <tr>
          <td className="taken">
            {head}
            <LongText text={entry.text} />
          </td>
          <td className={text === '' ? undefined : 'put'}>
            {text === '' ? (
              <p className="quiet">No words of it are left; its reference leads back to it.</p>
            ) : (
              <LongText text={text} />
            )}
          </td>
        </tr>
      </tbody>
    )
  return (
    <tbody className={entry.role}>
      <tr>
        <td>{head}</td>
        <td />
      </tr>
      {rows.map((row, at) => {
        const ends = { isFirst: at === 0, isLast: at === rows.length - 1 }
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no names of their own
          <tr key={at} data-same={row.isSame}>
            <td>
              <pre className="text words">
                <Pieces pieces={row.was} as="del" {...ends} />
              </pre>
            </td>
            <td>
              <pre className="text words">
                <Pieces pieces={row.is} as="ins" {...ends} />
              </pre>
            </td>
          </tr>
        )
      })}
    </tbody>
  )
})

function EntryHead({ entry: { ref, role, tokens, state } }: { readonly entry: DiffEntry }) {
  const { show } = useLinks()
  const sign = { added: '+', removed: '−', kept: '' }[state]
  const isWritten = state === 'added' && role === 'user'
  return (
    <span className="entry-head">
      {sign} {isWritten ? 'Replacement' : roleWords(role, undefined).shown} · {tokensText(tokens)}{' '}
      <button
        type="button"
        className="ref"
        title={`Show ${ref}`}
        onClick={(event) => {
          event.preventDefault()
          show(ref, 'told')
        }}
      >
        {ref}
      </button>
    </span>
  )
}
