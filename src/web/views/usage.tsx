// How full the window is, what the conversation has used, what it cost, and a compaction that runs.
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
      {tokenUsage && (
        <span className="quiet token-usage">
          Conversation {tokensText(tokenUsage.totalPromptTokens)} in ·{' '}
          {tokensText(tokenUsage.totalCompletionTokens)} out · {tokensText(tokenUsage.totalTokens)}{' '}
          in all ({percentText(tokenUsage.percentUsed)})
        </span>
      )}
      <span className="quiet">
        Billed {tokensText(billed.totalTokens)} tokens,{' '}
        {detail.isCounting ? 'cost is being counted…' : costText(detail.costUsd)}
      </span>
      {(isFull || tokenUsage?.nearLimit) && (
        // The sum of all requests says nothing about what the next one holds: it is told, and does not alarm.
        <span className={isFull ? 'warning' : 'quiet'} role="status">
          {isFull
            ? 'The window is nearly full'
            : 'Near the limit by all requests together; what the model sees is not'}
        </span>
      )}
      <Running detail={detail} status={status} />
    </div>
  )
}

/** Told by frames as it goes on; by the figures where the page was opened in the middle of it. */
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
