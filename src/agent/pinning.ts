// What is pinned with a compaction although nobody has asked for it: the settings say it, within the preset.
import type { PinningPolicy } from '../core/found-pins.ts'
import { threadSettingsReducer } from '../core/thread-settings.ts'
import { reducedBy } from '../core/thread-state.ts'
import type { AgentCore } from './core.ts'
import { presetOf } from './look.ts'

/** The presets of the five designs give exactly what their design says: nothing is found there. */
export async function pinningOf(core: AgentCore, threadId: string): Promise<PinningPolicy> {
  const state = await core.ports.threads.state(threadId)
  const preset = presetOf(reducedBy(state, threadSettingsReducer), core.settings)
  const { detect = true, ...rest } = core.settings.pinning ?? {}
  return { ...rest, detect: detect && preset.findsPins }
}
