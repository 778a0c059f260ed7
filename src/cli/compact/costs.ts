// What a compaction saves and costs in money, where the prices are known.
import type { ThreadEvent } from '../../core/log/event.ts'
import type { Settings } from '../../core/settings/settings.ts'
import type { ModelOverrides } from '../../providers/catalogue.ts'
import { modelInfo, readModelOverrides } from '../../providers/catalogue.ts'
import { costOf } from '../../providers/costs.ts'
import type { SessionOutcome } from './compact-session.ts'

export interface Costs {
  /** One request with nothing in its cache, to the model that answered last. */
  readonly request?: {
    readonly model: string
    readonly beforeUsd: number
    readonly afterUsd: number
  }
  /** What was paid to find the summary. */
  readonly summaryUsd?: number
}

export function costsOf(
  { report, record }: SessionOutcome,
  latest: readonly ThreadEvent[],
  { catalogue }: Settings,
): Costs {
  const overrides = readModelOverrides(catalogue ?? {}, 'catalogue')
  const model = lastModelOf(latest)
  const beforeUsd = promptCost(report.before.total, model, overrides)
  const afterUsd = promptCost(report.after.total, model, overrides)
  const { usage } = record.proposal
  const summaryUsd = usage?.model && costOf(usage, modelInfo(usage.model, overrides))
  return {
    ...(model !== undefined &&
      beforeUsd !== undefined &&
      afterUsd !== undefined && { request: { model, beforeUsd, afterUsd } }),
    ...(summaryUsd !== undefined && { summaryUsd }),
  }
}

function promptCost(
  tokens: number,
  model: string | undefined,
  overrides: ModelOverrides,
): number | undefined {
  if (model === undefined) return undefined
  const usage = { promptTokens: tokens, completionTokens: 0, totalTokens: tokens }
  return costOf(usage, modelInfo(model, overrides))
}

function lastModelOf(events: readonly ThreadEvent[]): string | undefined {
  const said = events.findLast(
    (event) =>
      event.type === 'MODEL_CHANGED' ||
      (event.type === 'AGENT_MESSAGE' && event.data.model !== undefined),
  )
  return said?.type === 'MODEL_CHANGED' || said?.type === 'AGENT_MESSAGE'
    ? said.data.model
    : undefined
}
