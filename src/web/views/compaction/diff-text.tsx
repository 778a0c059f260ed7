// A word diff of two texts, in one column or as pieces for two.

import { Fragment, memo } from 'react'
import { LongText } from '../texts.tsx'
import { type AlignedRow, alignTexts, type Piece } from './align.ts'

/** Unchanged text shown around a change. */
const AROUND_CHARS = 160
/** Line breaks and indents between changed words are not marked. */
const BLANKS = /(\s*\n\s*|\s{2,}|^\s+|\s+$)/

export const DiffText = memo(function DiffText({
  before,
  after,
}: {
  readonly before: string
  readonly after: string
}) {
  const rows = alignTexts(before, after)
  return rows ? <Unified rows={rows} /> : <Apart before={before} after={after} />
})

interface Ends {
  readonly isFirst: boolean
  readonly isLast: boolean
}

export function Pieces({
  pieces,
  as: Marked,
  isFirst,
  isLast,
}: Ends & { readonly pieces: readonly Piece[]; readonly as: 'del' | 'ins' }) {
  return pieces.map(({ text, isChanged }, at) =>
    isChanged ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no names of their own
      <Fragment key={at}>
        {text.split(BLANKS).map((part, place) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          place % 2 === 0 && part !== '' ? <Marked key={place}>{part}</Marked> : part,
        )}
      </Fragment>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above
      <span key={at}>
        {shortened(text, isFirst && at === 0, isLast && at === pieces.length - 1)}
      </span>
    ),
  )
}

/** One column: removed and added text in order. */
export function Unified({ rows }: { readonly rows: readonly AlignedRow[] }) {
  return (
    <pre className="text words">
      {rows.map((row, at) => {
        const ends = { isFirst: at === 0, isLast: at === rows.length - 1 }
        const came = row.is.filter(({ isChanged }) => isChanged)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no names of their own
          <span key={at}>
            <Pieces pieces={row.was} as="del" {...ends} />
            <Pieces pieces={came} as="ins" {...ends} />
          </span>
        )
      })}
    </pre>
  )
}

export function Apart({ before, after }: { readonly before: string; readonly after: string }) {
  return (
    <>
      <div className="taken">
        <LongText text={before} />
      </div>
      {after !== '' && (
        <div className="put">
          <LongText text={after} />
        </div>
      )}
    </>
  )
}

function shortened(text: string, isFirst: boolean, isLast: boolean): string {
  if (text.length <= 2 * AROUND_CHARS + 20) return text
  const head = isFirst ? '' : text.slice(0, AROUND_CHARS)
  const tail = isLast ? '' : text.slice(-AROUND_CHARS)
  return `${head} […] ${tail}`
}
