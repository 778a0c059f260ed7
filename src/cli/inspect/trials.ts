// Tries each strategy that needs no model on a copy of the session
import { PrecisError } from '../../core/errors.ts'
import type { Settings } from '../../core/settings/settings.ts'
import type { TokenCounter } from '../../core/window/tokens/counter.ts'
import { loadThread, type Session } from '../session/session.ts'
import { countContext } from '../terminal/counter.ts'
import type { ProgressLine } from '../terminal/progress.ts'

export interface Trial {
  readonly id: string
  readonly tokens?: number // absent if it was refused or failed
  readonly refused?: string
}

/** A strategy that asks for a model is left out: it cannot be tried for nothing. */
export async function tryStrategies(
  { composed, threadId }: Session,
  counter: TokenCounter,
  { gate }: Settings,
  progress: ProgressLine,
): Promise<Trial[]> {
  const { threads } = composed
  const trials: Trial[] = []
  for (const id of threads.strategyIds()) {
    progress.say(`trying ${id} …`)
    const copy = await threads.fork(threadId)
    try {
      const outcome = await threads.compact(copy, id, {
        trigger: 'command',
        minTokens: gate.minTokens,
      })
      if (outcome.committed) {
        const { context, eventAt } = await loadThread(composed, copy)
        trials.push({ id, tokens: countContext(context, eventAt, counter).total })
      } else trials.push({ id, refused: outcome.refusal.message })
    } catch (thrown) {
      if (!PrecisError.is(thrown)) throw thrown
      if (thrown.code !== 'no-model') trials.push({ id, refused: thrown.message })
    } finally {
      await threads.delete(copy)
    }
  }
  return trials
}
