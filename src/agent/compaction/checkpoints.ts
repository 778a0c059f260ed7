// Checkpoints and reminders at the end of a user turn, where the preset or the host has them.
import type { EventDraft } from '../../core/log/event.ts'
import { checkpointsReducer, generateCheckpointId } from '../../core/view/checkpoint.ts'
import { reducedBy, type ThreadState } from '../../core/view/thread-state.ts'
import type { Preset } from '../../core/window/presets.ts'

/** Exactly one, last in the message; or none. */
export function checkpointDrafts(
  { preset }: { readonly preset: Preset },
  state: ThreadState,
): EventDraft[] {
  if (!preset.checkpoints) return []
  const id = generateCheckpointId(reducedBy(state, checkpointsReducer))
  return [{ type: 'CHECKPOINT', data: { id } }]
}
