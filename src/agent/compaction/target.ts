// Where a compaction is to land: what the policy wants of the window, as weight of the context alone.
import { calibrationOf, weightOf } from '../../core/view/context.ts'
import { floorOf } from '../../core/window/trigger.ts'
import type { Look } from '../loop/window-status.ts'

/**
 * A window holds more than the context (tools above all), and its provider counts otherwise than we do.
 * Not below what no compaction can remove.
 */
export function targetWeight(
  { reading, state, budget }: Pick<Look, 'reading' | 'state' | 'budget'>,
  targetTokens: number,
): number {
  const { ratio } = calibrationOf(state.context)
  const weight = weightOf(state.context)
  const beside = Math.max(0, (reading.tokens ?? ratio * weight) - ratio * weight)
  const wanted = Math.floor((targetTokens - beside) / ratio)
  return Math.max(0, wanted, Math.min(targetTokens, floorOf(budget)))
}
