// Two texts as one, word by word: what went and what came.
import { diffWordsWithSpace } from 'diff'
import { memo } from 'react'
import { visibleText } from '../../shown-text.ts'
import { LongText } from '../texts.tsx'

/** Longer texts are shown one after the other: comparing them would stop the page. */
const MOST_CHARS = 20_000
const MOST_EDITS = 4_000
/** Of what is the same, so much is shown around a change. */
const AROUND_CHARS = 160

export const DiffText = memo(function DiffText({
  before,
  after,
}: {
  readonly before: string
  readonly after: string
}) {
  const isShort = before.length + after.length <= MOST_CHARS
  const parts = isShort
    ? diffWordsWithSpace(visibleText(before), visibleText(after), { maxEditLength: MOST_EDITS })
    : undefined
  if (!parts)
    return (
      <>
        <div className="taken">
          <LongText text={before} />
        </div>
        <div className="put">
          <LongText text={after} />
        </div>
      </>
    )
  return (
    <pre className="text words">
      {parts.map(({ value, added, removed }, at) => {
        if (added)
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names of their own
          return <ins key={at}>{value}</ins>
        if (removed)
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          return <del key={at}>{value}</del>
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        return <span key={at}>{shortened(value, at === 0, at === parts.length - 1)}</span>
      })}
    </pre>
  )
})

function shortened(text: string, isFirst: boolean, isLast: boolean): string {
  if (text.length <= 2 * AROUND_CHARS + 20) return text
  const head = isFirst ? '' : text.slice(0, AROUND_CHARS)
  const tail = isLast ? '' : text.slice(-AROUND_CHARS)
  return `${head} […] ${tail}`
}
