// Checkpoints and reminders at the end of a user turn, where the preset or the host has them.
import { checkpointsReducer, generateCheckpointId } from '../core/checkpoint.ts'
import type { EventDraft } from '../core/event.ts'
import type { Preset } from '../core/presets.ts'
import { reducedBy, type ThreadState } from '../core/thread-state.ts'

/** Exactly one, last in the message; or none. */
export function checkpointDrafts(
  { preset }: { readonly preset: Preset },
  state: ThreadState,
): EventDraft[] {
  if (!preset.checkpoints) return []
  const id = generateCheckpointId(reducedBy(state, checkpointsReducer))
  return [{ type: 'CHECKPOINT', data: { id } }]
}
