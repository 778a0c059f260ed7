// The window by category, as a picture and in figures.
import { useCallback } from 'react'
import type { Client } from '../../protocol/index.ts'
import { percentText, tokensText } from '../figures.ts'
import { useLoaded } from '../use-loaded.ts'
import { visibleText } from '../visible-text.ts'

export function WindowPicture({
  client,
  threadId,
  version,
}: {
  readonly client: Client
  readonly threadId: string
  readonly version: number
}) {
  const load = useCallback(() => client.contextPicture(threadId), [client, threadId])
  const { value: picture, error } = useLoaded(load, version)
  if (error !== undefined) return <p role="alert">{error}</p>
  if (!picture) return <p className="empty">Counting…</p>
  const categories = picture.categories.filter(({ tokens }) => tokens > 0)
  const total = categories.reduce((sum, { tokens }) => sum + tokens, 0)
  let at = 0
  const parts = categories.map(({ name, tokens }, index) => {
    const start = at
    at += (tokens / Math.max(1, total)) * 100
    return {
      name,
      tokens,
      start,
      width: at - start,
      colour: name === 'free' ? 'free' : `c${index % 8}`,
    }
  })
  return (
    <div className="window">
      <p>
        {tokensText(picture.context.tokens)} of {tokensText(picture.context.limit)} tokens (
        {percentText(picture.context.percent)})
      </p>
      <svg
        viewBox="0 0 100 8"
        preserveAspectRatio="none"
        role="img"
        aria-label="The window by category"
      >
        {parts.map(({ name, start, width, colour }) => (
          <rect key={name} x={start} y={0} width={width} height={8} className={colour}>
            <title>{name}</title>
          </rect>
        ))}
      </svg>
      <table>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col" className="figure">
              Tokens
            </th>
            <th scope="col" className="figure">
              Share
            </th>
          </tr>
        </thead>
        <tbody>
          {parts.map(({ name, tokens, width, colour }) => (
            <tr key={name}>
              <td>
                <span className={`swatch ${colour}`} /> {name}
              </td>
              <td className="figure">{tokens.toLocaleString()}</td>
              <td className="figure">{percentText(width)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {picture.largest.length > 0 && (
        <>
          <h2>Largest</h2>
          <ol>
            {picture.largest.map(({ ref, what, tokens }) => (
              <li key={ref}>
                {visibleText(what)}: {tokensText(tokens)} tokens{' '}
                <code className="quiet">{ref}</code>
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  )
}
