// A text of any length, of which the beginning is shown until more is asked for.
import { useState } from 'react'
import { visibleText } from '../visible-text.ts'

const SHOWN_CHARS = 4_000
/** What is added at a time: a text of megabytes would stop the page. */
const MORE_CHARS = 100_000

export function LongText({ text }: { readonly text: string }) {
  const [shown, setShown] = useState(SHOWN_CHARS)
  const left = text.length - shown
  return (
    <>
      <pre className="text">{visibleText(left > 0 ? text.slice(0, shown) : text)}</pre>
      {left > 0 && (
        <button type="button" onClick={() => setShown(shown + MORE_CHARS)}>
          {`${left.toLocaleString()} more characters`}
        </button>
      )}
    </>
  )
}
