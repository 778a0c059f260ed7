// The window, usage, cost, and a running compaction
import { useCallback } from 'react'
import type { Client, ThreadDetail, ViewStatus } from '../../protocol/index.ts'
import { costText, percentText, tokensText, visibleText } from '../shown-text.ts'
import { useLoaded } from '../use-loaded.ts'

const NEAR_PERCENT = 80

export function Usage({
  detail,
  status,
}: {
  readonly detail: ThreadDetail
  readonly status: ViewStatus | undefined
}) {
  const { context, tokenUsage, billed } = detail
  const share = Math.min(100, context.percent ?? 0)
  const isFull = share > NEAR_PERCENT
  return (
    <div className="line usage">
      <meter
        min={0}
        max={100}
        value={share}
        aria-label="Context used"
        aria-valuetext={percentText(context.percent)}
        data-near={isFull}
      />
      <span>
        Context {tokensText(context.tokens)} of {tokensText(context.limit)} (
        {percentText(context.percent)}
        {context.by !== undefined && `, ${context.by}`})
      </span>
      {tokenUsage && <Requests usage={tokenUsage} />}
      <span className="quiet">
        Billed {tokensText(billed.totalTokens)} tokens,{' '}
        {detail.isCounting ? 'cost is being counted…' : costText(detail.costUsd)}
      </span>
      {isFull && (
        <span className="warning" role="status">
          The window is nearly full
        </span>
      )}
      <Running detail={detail} status={status} />
    </div>
  )
}

/**
 * LOG-88. Every request holds all that was said before, so their sum passes the window long before the
 * context does: it is there for who looks for it, and does not alarm.
 */
function Requests({ usage }: { readonly usage: NonNullable<ThreadDetail['tokenUsage']> }) {
  const { totalPromptTokens, totalCompletionTokens, totalTokens, percentUsed, nearLimit } = usage
  return (
    <details className="quiet token-usage">
      <summary>All requests together {tokensText(totalTokens)}</summary>
      {tokensText(totalPromptTokens)} in · {tokensText(totalCompletionTokens)} out ·{' '}
      {percentText(percentUsed)} of one window
      {nearLimit && '. This sum is near the limit; only the context counts'}
    </details>
  )
}

/** Told by frames as it continues; by the figures where the page was opened in the middle of it. */
function Running({
  detail,
  status,
}: {
  readonly detail: ThreadDetail
  readonly status: ViewStatus | undefined
}) {
  const { strategy, what, done = 0, total } = status?.compaction ?? {}
  if (strategy === undefined && !detail.isCompacting) return null
  const step = total === undefined ? '' : ` (${Math.min(done + 1, total)} of ${total})`
  return (
    <span className="running" role="status">
      Compacting{strategy === undefined ? '…' : ` by ${strategy}: ${what ?? ''}${step}`}
    </span>
  )
}

/** The window by category, as a picture and in figures. */
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
