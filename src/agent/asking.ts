// How summaries of a thread are asked for: by whom, in which form, and with what its own requests have.
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
