// Texts of any length: shown in part until more is asked for, with their refs as links.
import { Fragment, type ReactNode, useEffect, useState } from 'react'
import { REF_IN_TEXT, useLinks } from '../links.ts'
import { clockText, countText, timeText, visibleText } from '../shown-text.ts'
import { labelWords } from '../words.ts'

const SHOWN_CHARS = 4_000
/** What is added at a time: a text of megabytes would stop the page. */
const MORE_CHARS = 100_000

/** A text of any length, of which the beginning is shown until more is asked for. */
export function LongText({ text }: { readonly text: string }) {
  const [shown, setShown] = useState(SHOWN_CHARS)
  const left = text.length - shown
  return (
    <>
      <pre className="text">
        <WithRefs text={visibleText(left > 0 ? text.slice(0, shown) : text)} />
      </pre>
      {left > 0 && (
        <button type="button" className="small" onClick={() => setShown(shown + MORE_CHARS)}>
          {`${left.toLocaleString()} more characters`}
        </button>
      )}
    </>
  )
}

export function Clock({ time }: { readonly time: Date }) {
  return (
    <time dateTime={time.toISOString()} title={timeText(time)}>
      {clockText(time)}
    </time>
  )
}

/** A ref goes to what it names. Refs of other threads are only named. */
export function WithRefs({ text }: { readonly text: string }): ReactNode {
  const { show } = useLinks()
  if (!text.includes('[ref:')) return text
  return text.split(REF_IN_TEXT).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names of their own
    <Fragment key={at}>
      {at % 2 === 0 ? (
        part
      ) : part.includes(':') ? (
        <code>{part}</code>
      ) : (
        <button
          type="button"
          className="ref"
          title={`Show ${part}`}
          onClick={(event) => {
            event.stopPropagation()
            show(part, 'told')
          }}
        >
          {part}
        </button>
      )}
    </Fragment>
  ))
}

/** The model does not see it any more: what stands for it, and the ways back. */
export function Gone({ entry }: { readonly entry: string | undefined }) {
  const { placeOf, show } = useLinks()
  const place = entry === undefined ? undefined : placeOf(entry)
  if (!place || entry === undefined) return null
  const { by, label, together = 1 } = place
  if (by === undefined && place.place !== undefined) return null
  return (
    <div className="gone">
      {by === undefined || label === undefined ? (
        <span>No longer in the context; nothing stands for it.</span>
      ) : (
        <span>
          No longer in the context.{' '}
          <button type="button" className="link" onClick={() => show(entry, 'seen')}>
            {labelWords(label)} {by}
          </button>{' '}
          stands for it{together > 1 && ` and ${countText(together - 1, 'other', 'others')}`}.
        </span>
      )}
      <BringBack entry={entry} />
    </div>
  )
}

/** A removed entry back into the context; says where it is in the context already. */
export function BringBack({ entry }: { readonly entry: string }) {
  const { placeOf, wantPlace, bringBack } = useLinks()
  useEffect(() => wantPlace(entry), [wantPlace, entry])
  const place = placeOf(entry)
  if (!place) return null
  if (place.by === undefined && place.place !== undefined)
    return <span className="quiet">In the context</span>
  return (
    <button type="button" className="small" onClick={() => bringBack(entry)}>
      Bring it back
    </button>
  )
}
