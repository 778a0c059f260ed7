// Markdown as React elements, never as HTML: the text of a transcript stays text. Code blocks: plain first,
// coloured once the grammar is loaded.
import { type MarkedToken, marked, type Token, type Tokens } from 'marked'
import { Fragment, memo, type ReactNode, useEffect, useMemo, useState } from 'react'
import type { Coloured } from '../highlight.ts'
import { visibleText } from '../shown-text.ts'
import { splitEnvelope } from '../words.ts'
import { LongText, WithRefs } from './texts.tsx'

/** Longer texts stay unformatted: parsing would freeze the page. */
const MAX_CHARS = 50_000
/** Deeper nesting stays unformatted: no writer needs it, and it slows browsers. */
const MAX_DEPTH = 12
/** Excludes addresses that run code or load on display. */
const SAFE_ADDRESS = /^(?:https?:\/\/|mailto:)/i

export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  const tokens = useMemo(() => countTokens(visibleText(text)), [text])
  return (
    <div className="markdown">
      {tokens ? <All tokens={tokens} depth={0} /> : <LongText text={text} />}
    </div>
  )
})

/** The readable part of a summary; the introduction for the model can be opened. */
export function SummaryText({ text }: { readonly text: string }) {
  const { intro, body, outro } = splitEnvelope(text)
  const around = `${intro}${outro}`.trim()
  return (
    <>
      <Markdown text={body} />
      {around !== '' && (
        <details className="envelope">
          <summary>Text for the model</summary>
          <LongText text={around} />
        </details>
      )}
    </>
  )
}

/** Undefined for text that stays unformatted. */
function countTokens(text: string): readonly Token[] | undefined {
  if (text.length > MAX_CHARS) return undefined
  try {
    // Line breaks count: briefs and people write them so.
    return marked.lexer(text, { gfm: true, breaks: true })
  } catch {
    return undefined // too deeply nested for the lexer
  }
}

interface Inside {
  readonly tokens: readonly Token[] | undefined
  readonly depth: number
}

function All({ tokens, depth }: Inside) {
  if (depth > MAX_DEPTH) return tokens?.map(({ raw }) => raw).join('')
  return tokens?.map((token, at) => (
    // Tokens have no names of their own, and their order does not change.
    // biome-ignore lint/suspicious/noArrayIndexKey: see above
    <Fragment key={at}>{shown(token as MarkedToken, depth + 1)}</Fragment>
  ))
}

function shown(token: MarkedToken, depth: number): ReactNode {
  switch (token.type) {
    case 'paragraph':
      return (
        <p>
          <All tokens={token.tokens} depth={depth} />
        </p>
      )
    case 'heading':
      return <Heading token={token} depth={depth} />
    case 'strong':
      return (
        <strong>
          <All tokens={token.tokens} depth={depth} />
        </strong>
      )
    case 'em':
      return (
        <em>
          <All tokens={token.tokens} depth={depth} />
        </em>
      )
    case 'del':
      return (
        <del>
          <All tokens={token.tokens} depth={depth} />
        </del>
      )
    case 'codespan':
      return <code>{token.text}</code>
    case 'code':
      return <Code text={token.text} language={token.lang ?? ''} />
    case 'blockquote':
      return (
        <blockquote>
          <All tokens={token.tokens} depth={depth} />
        </blockquote>
      )
    case 'list':
      return <List token={token} depth={depth} />
    case 'table':
      return <Table token={token} depth={depth} />
    case 'link':
      return <Link token={token} depth={depth} />
    case 'image':
      return `[image: ${token.text || token.href}]`
    case 'hr':
      return <hr />
    case 'br':
      return <br />
    case 'space':
    case 'def':
      return null
    case 'text':
      return token.tokens ? (
        <All tokens={token.tokens} depth={depth} />
      ) : (
        <WithRefs text={token.text} />
      )
    case 'escape':
      return token.text
    default:
      return token.raw // HTML and unknown tokens: as written
  }
}

interface At<T> {
  readonly token: T
  readonly depth: number
}

/** The page has its own headings above these. */
function Heading({ token, depth }: At<Tokens.Heading>) {
  const inside = <All tokens={token.tokens} depth={depth} />
  if (token.depth <= 1) return <h3>{inside}</h3>
  return token.depth === 2 ? <h4>{inside}</h4> : <h5>{inside}</h5>
}

function List({ token, depth }: At<Tokens.List>) {
  const items = token.items.map((item, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items have no names of their own
    <li key={at}>
      {item.task && <input type="checkbox" checked={item.checked ?? false} readOnly disabled />}
      <All tokens={item.tokens} depth={depth} />
    </li>
  ))
  return token.ordered ? <ol start={Number(token.start) || 1}>{items}</ol> : <ul>{items}</ul>
}

function Table({ token, depth }: At<Tokens.Table>) {
  return (
    <div className="table">
      <table>
        <thead>
          <tr>
            {token.header.map((cell, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: cells have no names of their own
              <th key={at}>
                <All tokens={cell.tokens} depth={depth} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no names of their own
            <tr key={at}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells have no names of their own
                <td key={column}>
                  <All tokens={cell.tokens} depth={depth} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Link({ token, depth }: At<Tokens.Link>) {
  const inside = <All tokens={token.tokens} depth={depth} />
  if (!SAFE_ADDRESS.test(token.href)) return inside
  return (
    <a href={token.href} title={token.href} target="_blank" rel="noopener noreferrer nofollow">
      {inside}
    </a>
  )
}

/** Longer code stays plain: colouring would freeze the page. */
const MOST_CHARS = 20_000

const Code = memo(function Code({
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

interface HighlightedText {
  readonly text: string
  readonly lines: readonly (readonly Coloured[])[]
}

function useColours(text: string, language: string): HighlightedText['lines'] | undefined {
  const [drawn, setDrawn] = useState<HighlightedText>()
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
