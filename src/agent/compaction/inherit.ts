// What one thread takes over from another: its system prompts, its model, its settings.
import type { EventDraft } from '../../core/log/event.ts'
import { inheritedDrafts } from '../../core/settings/thread-settings.ts'
import type { AgentCore } from '../core.ts'

export async function inherited({ ports }: AgentCore, from: string): Promise<EventDraft[]> {
  const { threads } = ports
  const { system } = await threads.messages(from)
  return inheritedDrafts(await threads.state(from), system)
}
