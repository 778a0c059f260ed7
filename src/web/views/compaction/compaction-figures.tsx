// A compaction in figures: how much smaller, by category, and what was removed why.
import type { ReportFigures } from '../../../protocol/index.ts'
import { useLinks } from '../../links.ts'
import { changedText, countText, isLarger, tokensText, visibleText } from '../../shown-text.ts'
import { reasonWords } from '../../strategy-words.ts'
import { entryWords, findCategory, inOrder } from '../../words.ts'
import { CategoryBar, StateIcon, Swatch, TableHead } from '../texts.tsx'

export function Figures({
  figures,
  isProposal = false,
}: {
  readonly figures: ReportFigures
  readonly isProposal?: boolean
}) {
  const { before, after, drops, largest, pins, refs, fallback } = figures
  return (
    <div className="figures">
      <Sizes before={before} after={after} />
      {fallback && (
        <p className="warning">
          <StateIcon state="fell-back" /> In place of {fallback.from}:{' '}
          {visibleText(fallback.reason)}
        </p>
      )}
      <Compared figures={figures} />
      {drops.length > 0 && <Drops figures={figures} isProposal={isProposal} />}
      {largest.length > 0 && <Largest largest={largest} />}
      <p className="quiet">
        {pinWords(pins)} {countText(refs, 'reference leads', 'references lead')} back to what{' '}
        {isProposal ? 'goes' : 'went'}.
      </p>
    </div>
  )
}

/** What was removed, what was written instead, and the difference. */
function Drops({
  figures: { drops, before = 0, after = 0 },
  isProposal,
}: {
  readonly figures: ReportFigures
  readonly isProposal: boolean
}) {
  const gross = drops.reduce((sum, { tokens }) => sum + tokens, 0)
  const written = gross - (before - after)
  const isWorthARow = written > before / 100
  return (
    <section aria-label="Removed">
      <h3>{isProposal ? 'Would be removed' : 'Removed'}</h3>
      <ul className="drops">
        {drops.map(({ why, entries, tokens }) => (
          <li key={why}>
            <span className="why">{reasonWords(visibleText(why))}</span>
            <span className="quiet">{countText(entries, 'entry', 'entries')}</span>
            <span className="figure">{changeText(-tokens)}</span>
          </li>
        ))}
        {isWorthARow && (
          <li>
            <span className="why">Written in their place</span>
            <span />
            <span className="figure">{changeText(written)}</span>
          </li>
        )}
        {(isWorthARow || drops.length > 1) && (
          <li className="sum">
            <span className="why">Difference</span>
            <span />
            <span className="figure">{changeText(after - before)}</span>
          </li>
        )}
      </ul>
    </section>
  )
}

function pinWords({ kept, added }: ReportFigures['pins']): string {
  const added_ = added === 0 ? '' : `, ${added} of them found by this compaction`
  const all = kept + added
  return all === 0
    ? 'No pins.'
    : `${countText(all, 'pin stays', 'pins stay')} word for word${added_}.`
}

/** The main figure and its base. */
export function Sizes({
  before,
  after,
}: {
  readonly before: number | undefined
  readonly after: number | undefined
}) {
  return (
    <p className="sizes">
      <strong>{changedText(before, after)}</strong> {isLarger(before, after) ? 'larger' : 'smaller'}
      :{' '}
      <span className="figure">
        {tokensText(before)} → {tokensText(after)}
      </span>{' '}
      tokens in the window
    </p>
  )
}

/** Two stacked bars on one scale. */
function Compared({ figures }: { readonly figures: ReportFigures }) {
  const categories = inOrder(figures.categories)
  const sum = categories.reduce((total, { before }) => total + before, 0)
  const whole = Math.max(1, sum, figures.before ?? 0)
  const rest = (size: number | undefined, side: 'before' | 'after') =>
    Math.max(0, (size ?? 0) - categories.reduce((total, each) => total + each[side], 0))
  const row = (side: 'before' | 'after') => {
    const beyond = rest(figures[side], side)
    return [
      ...(beyond > 0 ? [{ name: 'tools', tokens: beyond }] : []),
      ...categories.map((each) => ({ name: each.name, tokens: each[side] })),
    ]
  }
  return (
    <div className="compared">
      {(['before', 'after'] as const).map((side) => (
        <div key={side} className="compared-row">
          <span className="quiet">{side === 'before' ? 'Before' : 'After'}</span>
          <CategoryBar parts={inOrder(row(side))} whole={whole} />
        </div>
      ))}
      <table className="plain">
        <TableHead first="Category" figures={['Before', 'After', 'Change']} />
        <tbody>
          {categories
            .filter(({ before, after }) => before !== after)
            .map(({ name, before, after }) => (
              <tr key={name}>
                <td>
                  <Swatch name={name} /> {findCategory(name).shown}
                </td>
                <td className="figure">{tokensText(before)}</td>
                <td className="figure">{tokensText(after)}</td>
                <td className="figure">{changeText(after - before)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  )
}

function changeText(tokens: number): string {
  const sign = tokens < 0 ? '−' : tokens > 0 ? '+' : ''
  return `${sign}${tokensText(Math.abs(tokens))}`
}

function Largest({ largest }: { readonly largest: ReportFigures['largest'] }) {
  const { show } = useLinks()
  return (
    <details>
      <summary>The largest of them</summary>
      <ol className="largest">
        {largest.map(({ ref, what, why, before, after }) => (
          <li key={ref}>
            <button type="button" className="ref" onClick={() => show(ref, 'told')}>
              {ref}
            </button>{' '}
            {visibleText(entryWords(what))}{' '}
            <span className="quiet">
              {tokensText(before)} → {tokensText(after)} · {reasonWords(visibleText(why))}
            </span>
          </li>
        ))}
      </ol>
    </details>
  )
}
