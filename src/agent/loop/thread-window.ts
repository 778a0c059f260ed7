// Looks at a thread as it is now: its model, its tools, its window.
import type { Tool } from '../../core/agent/tool.ts'
import { threadSettingsReducer } from '../../core/settings/thread-settings.ts'
import type { Json } from '../../core/text/json.ts'
import { reducedBy, type ThreadState } from '../../core/view/thread-state.ts'
import type { AgentCore, Turn } from '../core.ts'
import { taskTool } from './task-tool.ts'
import { type Look, look, presetOf } from './window-status.ts'

export async function lookAtThread(turn: Turn): Promise<Look> {
  const { core, desk, signal } = turn
  const state = await core.ports.threads.state(desk.threadId)
  const { model: name } = reducedBy(state, threadSettingsReducer)
  const model = await core.ports.models.resolve(name, signal)
  if (!model.isWindowKnown && !desk.said.has(model.ref)) {
    desk.said.add(model.ref)
    const message = `The window of ${model.ref} is not known: ${model.windowTokens ?? 'no'} tokens are assumed. Set it in the catalogue setting.`
    core.frames.emit({ type: 'notice', threadId: desk.threadId, level: 'info', message })
  }
  return look({
    state,
    settings: core.settings,
    model,
    tools: toolsOf(turn, state),
    maxOutputTokens: core.limits.outputTokens,
  })
}

/** The tools of a thread, the same objects as long as nothing changes that they depend on. */
function toolsOf(turn: Turn, state: ThreadState): readonly Tool[] {
  const { core, desk, depth } = turn
  const { threadId } = desk
  const choices = reducedBy(state, threadSettingsReducer)
  const { workspace } = choices
  const preset = presetOf(choices, core.settings)
  const key = `${preset.tool} ${depth} ${workspace ?? ''}`
  if (desk.tools?.key === key) return desk.tools.list
  const list = [
    ...core.ports.tools({ threadId, ...(workspace !== undefined && { workspace }) }),
    ...(depth < core.limits.depth ? [taskTool(turn)] : []),
    ...(preset.tool === 'none' ? [] : [compactTool(core, preset.tool)]),
  ]
  desk.tools = { key, list }
  return list
}

/** Offered like any other tool; how it is run is in compact-call.ts, since it needs the thread. */
function compactTool({ ports }: AgentCore, mode: 'ranges' | 'summary'): Tool {
  return {
    ...ports.compactTool.schema(mode),
    effect: 'none',
    isParallel: false,
    subjectOf: (input: Json) => compactSubject(input),
    run: async () => ({
      status: 'failed',
      content: [{ type: 'text', text: 'compact can only be called by itself, once in an answer.' }],
    }),
  }
}

function compactSubject(input: Json): string {
  const replacements =
    typeof input === 'object' && input !== null && 'replacements' in input
      ? input.replacements
      : undefined
  return Array.isArray(replacements) ? `${replacements.length} ranges` : 'the whole thread'
}
