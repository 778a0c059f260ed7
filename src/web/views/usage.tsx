// The window, usage, cost, and a running compaction
import type { ThreadDetail, ViewStatus } from '../../protocol/index.ts'
import { costText, percentText, tokensText } from '../figures.ts'

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
