// One entry before and after: the difference in one or two columns, or the matching lines.
import { Fragment, memo, useMemo } from 'react'
import type { DiffEntry } from '../../../protocol/index.ts'
import { useLinks } from '../../links.ts'
import { countText, tokensText, visibleText } from '../../shown-text.ts'
import { reasonWords } from '../../strategy-words.ts'
import { roleWords } from '../../words.ts'
import { BringBack, LongText } from '../texts.tsx'
import { alignTexts, type Matched } from './align.ts'
import { Apart, Pieces, Unified } from './diff-text.tsx'
import type { FoundLines } from './find-words.ts'

export const Pair = memo(function Pair({
  matched: { entry, text },
  found,
  isWide,
  canBringBack,
}: {
  readonly matched: Matched
  /** If set, shows the matching lines instead of the difference. */
  readonly found: FoundLines | undefined
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
  if (found)
    return (
      <tbody className={entry.role}>
        <tr>
          <td className="taken" colSpan={isWide ? 2 : 1}>
            {head}
            <Lines found={found} />
            <details>
              <summary>Show the whole entry</summary>
              <LongText text={entry.text} />
            </details>
          </td>
        </tr>
      </tbody>
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

function Lines({ found: { lines, count } }: { readonly found: FoundLines }) {
  return (
    <>
      <pre className="text">
        {lines.map((pieces, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no names of their own
          <Fragment key={at}>
            {pieces.map((piece, place) => {
              const shown = visibleText(piece)
              // biome-ignore lint/suspicious/noArrayIndexKey: as above
              return place % 2 === 1 ? <mark key={place}>{shown}</mark> : shown
            })}
            {'\n'}
          </Fragment>
        ))}
      </pre>
      {count > lines.length && (
        <p className="quiet">{countText(count - lines.length, 'more line', 'more lines')}</p>
      )}
    </>
  )
}

export function EntryHead({ entry: { ref, role, tokens, state } }: { readonly entry: DiffEntry }) {
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
