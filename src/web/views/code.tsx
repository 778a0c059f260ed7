// Code of an answer or a file: plain at once, coloured when its grammar is there.
import { memo, useEffect, useState } from 'react'
import type { Coloured } from '../highlight.ts'

/** Longer code is shown plain: colouring it would stop the page. */
const MOST_CHARS = 20_000

export const Code = memo(function Code({
  text,
  language,
}: {
  readonly text: string
  readonly language: string
}) {
  const lines = useColours(text, language)
  return (
    <pre className="code" data-language={language || undefined}>
      <code>
        {lines
          ? lines.map((line, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no names of their own
              <span key={at}>
                {at > 0 && '\n'}
                {line.map(({ text: piece, style }, place) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: as above
                  <span key={place} className="tone" style={style}>
                    {piece}
                  </span>
                ))}
              </span>
            ))
          : text}
      </code>
    </pre>
  )
})

interface Drawn {
  readonly text: string
  readonly lines: readonly (readonly Coloured[])[]
}

function useColours(text: string, language: string): Drawn['lines'] | undefined {
  const [drawn, setDrawn] = useState<Drawn>()
  useEffect(() => {
    if (language === '' || text.length > MOST_CHARS) return undefined
    let isOver = false
    import('../highlight.ts')
      .then(({ highlight }) => highlight(text, language))
      .then(
        (lines) => {
          if (!isOver && lines) setDrawn({ text, lines })
        },
        () => undefined, // it stays plain
      )
    return () => {
      isOver = true
    }
  }, [text, language])
  return drawn?.text === text ? drawn.lines : undefined
}
