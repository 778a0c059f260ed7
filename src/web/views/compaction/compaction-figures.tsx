// What a compaction does in figures: how much smaller, by category, and what goes with its reason
import type { CompactionFigures } from '../../../protocol/index.ts'
import { useLinks } from '../../links.ts'
import { countText, savedText, tokensText, visibleText } from '../../shown-text.ts'
import { categoryOf, inOrder, reasonWords } from '../../words.ts'
import { StateIcon, Swatch } from '../state-mark.tsx'

export function Figures({
  figures,
  isProposal = false,
}: {
  readonly figures: CompactionFigures
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
      {drops.length > 0 && (
        <section aria-label="Removed">
          <h3>{isProposal ? 'What goes' : 'What went'}</h3>
          <ul className="drops">
            {drops.map(({ why, entries, tokens }) => (
              <li key={why}>
                <span className="why">{reasonWords(visibleText(why))}</span>
                <span className="quiet">{countText(entries, 'entry', 'entries')}</span>
                <span className="figure">−{tokensText(tokens)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {largest.length > 0 && <Largest largest={largest} />}
      <p className="quiet">
        {pinWords(pins)} {countText(refs, 'reference leads', 'references lead')} back to what{' '}
        {isProposal ? 'goes' : 'went'}.
      </p>
    </div>
  )
}

function pinWords({ kept, added }: CompactionFigures['pins']): string {
  const added_ = added === 0 ? '' : `, ${added} of them found by this compaction`
  const all = kept + added
  return all === 0
    ? 'No pins.'
    : `${countText(all, 'pin stays', 'pins stay')} word for word${added_}.`
}

/** The number that matters, with its base. */
export function Sizes({
  before,
  after,
}: {
  readonly before: number | undefined
  readonly after: number | undefined
}) {
  return (
    <p className="sizes">
      <strong>{savedText(before, after)}</strong> smaller:{' '}
      <span className="figure">
        {tokensText(before)} → {tokensText(after)}
      </span>{' '}
      tokens in the window
    </p>
  )
}

/** Two bars on one scale, one below the other. */
function Compared({ figures }: { readonly figures: CompactionFigures }) {
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
          <Stack parts={inOrder(row(side))} whole={whole} />
        </div>
      ))}
      <table className="plain">
        <thead className="read-out">
          <tr>
            <th scope="col">Category</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {categories
            .filter(({ before, after }) => before !== after)
            .map(({ name, before, after }) => (
              <tr key={name}>
                <td>
                  <Swatch name={name} /> {categoryOf(name).shown}
                </td>
                <td className="figure">{tokensText(before)}</td>
                <td className="figure">→ {tokensText(after)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  )
}

function Stack({
  parts,
  whole,
}: {
  readonly parts: readonly { readonly name: string; readonly tokens: number }[]
  readonly whole: number
}) {
  let at = 0
  return (
    <svg className="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden>
      {parts.map(({ name, tokens }) => {
        const start = at
        at += (tokens / whole) * 100
        return (
          <rect
            key={name}
            x={start}
            y={0}
            width={Math.max(0, at - start)}
            height={10}
            className={`cat-${categoryOf(name).id}`}
          />
        )
      })}
    </svg>
  )
}

function Largest({ largest }: { readonly largest: CompactionFigures['largest'] }) {
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
            {visibleText(what)}{' '}
            <span className="quiet">
              {tokensText(before)} → {tokensText(after)} · {reasonWords(visibleText(why))}
            </span>
          </li>
        ))}
      </ol>
    </details>
  )
}
