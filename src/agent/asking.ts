// How a thread is compacted: who is asked for summaries and in which form, and what else is in force.
import type { ReportSettings } from '../core/report.ts'
import type { CompactionContext } from '../core/strategy.ts'
import type { AgentCore } from './core.ts'
import type { Look } from './look.ts'
import { schemasOf, thinkingOf } from './request.ts'

export type Asking = Pick<
  CompactionContext,
  'model' | 'form' | 'fastModel' | 'tools' | 'thinking' | 'windowTokens'
>

export function askingOf({ settings }: AgentCore, seen: Look): Asking {
  const { form, fastModel } = settings.summaries ?? {}
  const { ref, windowTokens } = seen.model
  return {
    model: ref,
    tools: schemasOf(seen),
    ...thinkingOf(seen),
    ...(form && { form }),
    ...(fastModel !== undefined && { fastModel }),
    ...(windowTokens !== undefined && { windowTokens }),
  }
}

/** What decides when a thread is compacted and how far, for the report. */
export function settingsInForce({ preset, policy, model, choices }: Look): ReportSettings {
  const { ratio, reserveTokens, absoluteTokens, targetRatio } = policy
  return {
    preset: preset.id,
    model: model.ref,
    ...(model.windowTokens !== undefined && { windowTokens: model.windowTokens }),
    ...(choices.strategy !== undefined && { strategy: choices.strategy }),
    ...(ratio !== undefined && { threshold: ratio }),
    ...(reserveTokens !== undefined && { reserveTokens }),
    ...(absoluteTokens !== undefined && { absoluteTokens }),
    targetRatio,
  }
}
