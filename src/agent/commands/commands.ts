// What each command does to a thread and answers, the same in every interface.
import type { Command } from '../../core/agent/commands.ts'
import type { RunResult } from '../../core/agent/frame.ts'
import { CONTINUE_AFTER_FOLD } from '../../core/edit/continue-prompt.ts'
import { asPrecisError, errorWords, PrecisError } from '../../core/errors.ts'
import type { EventDraft } from '../../core/log/event.ts'
import { NO_STRATEGY, threadSettingsReducer } from '../../core/settings/settings-keys.ts'
import { reducedBy } from '../../core/view/thread-state.ts'
import type { OrderOptions } from '../compaction/compact-thread.ts'
import { inherited } from '../compaction/fresh-session.ts'
import type { AgentCore, Turn } from '../core.ts'
import { readPreset, readWindowStatus } from '../loop/window-status.ts'
import { compactionWords, contextPicture, presetWords } from './preset-words.ts'
import { expandEntry, formerSession, nextSession, undoLast } from './undo.ts'

export interface CommandReply {
  readonly command: Command['command']
  readonly ok: boolean
  readonly text: string // for people
  readonly compaction?: RunResult
  /** Another thread to continue in, for /fork and /new. */
  readonly threadId?: string
  /** The message to send next, after the command. */
  readonly next?: string
  /** The message that was to follow but does not, because the command failed; goes back to the editor. */
  readonly returned?: string
}

export interface CommandDeps {
  readonly core: AgentCore
  readonly threadId: string
  /** The agent's own `compact`. */
  compact(threadId: string, options: OrderOptions): Promise<RunResult>
  readonly signal?: AbortSignal
}

type Of<C extends Command['command']> = Extract<Command, { command: C }>
type Run = { [C in Command['command']]: (deps: CommandDeps, command: Of<C>) => Promise<Answer> }
type Answer =
  | string
  | Omit<CommandReply, 'command' | 'ok'>
  | (Omit<CommandReply, 'command'> & { ok: false })

/** The argument that resets /strategy. */
const OF_PRESET = 'preset'

/** Never rejects: errors are in the reply. */
export async function runCommand(deps: CommandDeps, command: Command): Promise<CommandReply> {
  try {
    const run = RUNS[command.command] as (deps: CommandDeps, command: Command) => Promise<Answer>
    const answer = await run(deps, command)
    const reply = typeof answer === 'string' ? { text: answer } : answer
    return { ok: true, ...reply, command: command.command }
  } catch (thrown) {
    return { command: command.command, ok: false, text: errorWords(asPrecisError(thrown)) }
  }
}

const RUNS: Run = {
  compact: (deps, { instructions }) =>
    compactAndSay(deps, instructions === undefined ? {} : { instructions }),
  'compact-and-continue': async (deps, { nextPrompt }) => {
    const given = nextPrompt === undefined ? {} : { nextPrompt }
    const answer = await compactAndSay(deps, given).catch((thrown: unknown) => ({
      ok: false as const,
      text: errorWords(asPrecisError(thrown)),
    }))
    if ('ok' in answer)
      return { ...answer, ...(nextPrompt !== undefined && { returned: nextPrompt }) }
    const next = nextPrompt ?? promptAfter(answer.compaction)
    return { ...answer, ...(next !== undefined && { next }) }
  },
  undo: async ({ core, threadId }, { count }) => {
    let undone = 0
    while (undone < count) {
      try {
        await undoLast(core, threadId)
      } catch (error) {
        if (!PrecisError.is(error) || error.code !== 'nothing-to-undo') throw error
        if (undone > 0) break
        const former = await formerSession(core, threadId)
        if (former) return former
        throw error
      }
      undone += 1
    }
    return undone === 1 ? 'The last compaction was undone.' : `${undone} compactions were undone.`
  },
  redo: async ({ core, threadId }) => {
    try {
      await core.desks.of(threadId).request.run(() => core.ports.threads.redo(threadId))
    } catch (error) {
      if (!PrecisError.is(error) || error.code !== 'nothing-to-redo') throw error
      const next = await nextSession(core, threadId)
      if (next) return next
      throw error
    }
    return 'The compaction is applied again.'
  },
  expand: async ({ core, threadId }, { ref }) => {
    const count = await expandEntry(core, threadId, ref)
    if (ref.startsWith('c')) {
      const entries = count === 1 ? 'One entry is' : `${count} entries are`
      return `${entries} back in the context in place of ${ref}. /undo reverts this.`
    }
    const more = count > 1 ? `, with ${count - 1} more that belong to it` : ''
    return `${ref} is back in the context${more}. /undo reverts this.`
  },
  pin: async ({ core, threadId }, { text }) => {
    const pinId = await core.ports.threads.pin(threadId, { text, by: 'user' })
    return `Pinned as ${pinId}: it survives every compaction word for word.`
  },
  pins: async ({ core, threadId }) => {
    const pins = await core.ports.threads.pins(threadId)
    if (pins.length === 0) return 'Nothing is pinned. /pin keeps a text through every compaction.'
    return pins
      .map(({ pinId, text, entries }) => `${pinId}  ${text ?? `entries ${entries?.join(', ')}`}`)
      .join('\n')
  },
  unpin: async ({ core, threadId }, { pinId }) => {
    await core.ports.threads.unpin(threadId, pinId)
    return `${pinId} is no longer pinned.`
  },
  recall: ({ core, threadId }, { query }) => recall(core, threadId, { query }),
  'recall-ref': ({ core, threadId }, { ref }) => recall(core, threadId, { ref }),
  context: async (deps) => contextPicture(await readWindowStatus(idleTurn(deps))),
  strategy: async ({ core, threadId }, { strategyId }) => {
    const { threads } = core.ports
    const known = threads.strategyIds()
    if (strategyId === undefined) {
      const { strategy, ...choices } = await listChoices(core, threadId)
      const ofPreset = `default of the preset ${readPreset(choices, core.settings).id}`
      const back = strategy === undefined ? '' : ` /strategy ${OF_PRESET} goes back to ${ofPreset}.`
      return `Strategy: ${strategy ?? ofPreset}. Known: ${known.join(', ')}.${back}`
    }
    if (strategyId === OF_PRESET) {
      await change(core, threadId, { type: 'THREAD_SETTINGS', data: { strategy: NO_STRATEGY } })
      const { id } = readPreset(await listChoices(core, threadId), core.settings)
      return `From now on the preset ${id} decides how to compact this thread.`
    }
    if (!known.includes(strategyId))
      throw new PrecisError('unknown-strategy', `Unknown compaction strategy: ${strategyId}`, {
        hint: `Known: ${known.join(', ')}; ${OF_PRESET} selects the default of the preset.`,
      })
    await change(core, threadId, { type: 'THREAD_SETTINGS', data: { strategy: strategyId } })
    return `This thread is compacted by ${strategyId} from now on.`
  },
  preset: async ({ core, threadId }, { preset }) => {
    if (preset === undefined) {
      const { id } = readPreset(await listChoices(core, threadId), core.settings)
      const rows = presetWords().map(
        (each) => `${each.id}\n  /compact: ${each.command}\n  by itself: ${each.automatic}`,
      )
      return [`Preset: ${id}. To change it, type /preset and one of these:`, ...rows].join('\n')
    }
    await change(core, threadId, { type: 'THREAD_SETTINGS', data: { preset } })
    return `The preset of this thread is ${preset} from now on.`
  },
  model: async ({ core, threadId, signal }, { model: name }) => {
    const { model, thinking } = await listChoices(core, threadId)
    const { ref, windowTokens, isWindowKnown } = await core.ports.models.resolve(
      name ?? model,
      signal,
    )
    const assumed = isWindowKnown ? '' : ', assumed'
    const facts = `${ref} (window: ${windowTokens ?? 'unknown'} tokens${assumed})`
    if (name === undefined) return `Model: ${facts}.`
    const data = { model: ref, ...(thinking !== undefined && { thinking }) }
    await change(core, threadId, { type: 'MODEL_CHANGED', data })
    return `The model is ${facts} from now on.`
  },
  thinking: async ({ core, threadId }, { level }) => {
    const { model: chosen, thinking } = await listChoices(core, threadId)
    if (level === undefined) return `Thinking: ${thinking ?? 'off'}.`
    const model = chosen ?? (await core.ports.models.resolve()).ref
    await change(core, threadId, { type: 'MODEL_CHANGED', data: { model, thinking: level } })
    return `Thinking is ${level} from now on.`
  },
  fork: async ({ core, threadId }) => {
    const forkId = await core.ports.threads.fork(threadId)
    return {
      text: `Forked as ${forkId}. Continue there; this thread does not change.`,
      threadId: forkId,
    }
  },
  new: async ({ core, threadId }, { title }) => {
    const { threads } = core.ports
    const drafts = await inherited(core, threadId)
    const newId = await threads.create(title === undefined ? {} : { title }, drafts)
    return { text: `A new thread: ${newId}.`, threadId: newId }
  },
  invalid: async (_deps, { message }) => ({ ok: false, text: message }),
}

async function compactAndSay(
  { core, threadId, compact, signal }: CommandDeps,
  asked: Pick<OrderOptions, 'instructions' | 'nextPrompt'>,
): Promise<Exclude<Answer, string>> {
  const running = core.desks.of(threadId).compaction
  const compaction = await compact(threadId, {
    leaveInbox: true,
    ...asked,
    ...(signal && { signal }),
  })
  const { success, fresh } = compaction
  const [said, ...more] = compactionWords(compaction)
  const hint = meantStrategy(core, asked.instructions)
  const text = [said, ...more, ...(success ? hint : [])].join('\n')
  if (!success) return { ok: false, text, compaction }
  const goesOn = fresh && { threadId: fresh.threadId }
  const isJoined = running !== undefined || fresh?.threadId === compaction.runId
  if (isJoined) return { text: joinedWords(asked), compaction, ...goesOn }
  if (goesOn) return { text, compaction, ...goesOn }
  const told = [said, ...hint].map((data) => ({ type: 'LOCAL_SYSTEM_MESSAGE' as const, data }))
  await core.ports.threads.append(threadId, told, { openCalls: 'leave' })
  return { text, compaction }
}

/** Text after /compact is an instruction, even if it is the name of a strategy. */
function meantStrategy({ ports }: AgentCore, instructions = ''): string[] {
  const id = instructions.trim()
  if (!ports.threads.strategyIds().includes(id)) return []
  return [
    `“${id}” was followed as instructions. To use the strategy: /strategy ${id}, then /compact.`,
  ]
}

/** Two concurrent requests get one compaction; tells the second so, and what happened to its instructions. */
function joinedWords({ instructions }: Pick<OrderOptions, 'instructions'>): string {
  const unused = instructions === undefined ? '' : ' Its instructions were not used.'
  return `A compaction was already running; this one joined it.${unused}`
}

/** After a fold the agent continues at once, even without a prompt (C3). */
function promptAfter(compaction: RunResult | undefined): string | undefined {
  const isFold = compaction?.strategy === 'chunked-fold'
  return isFold && (compaction.event?.data.edits.length ?? 0) > 0 ? CONTINUE_AFTER_FOLD : undefined
}

async function recall(
  { ports }: AgentCore,
  threadId: string,
  asked: { query: string } | { ref: string },
): Promise<string> {
  if (ports.recall) return ports.recall(threadId, asked)
  throw new PrecisError('not-found', 'This agent has no recall.')
}

async function listChoices(core: AgentCore, threadId: string) {
  return reducedBy(await core.ports.threads.state(threadId), threadSettingsReducer)
}

async function change({ ports }: AgentCore, threadId: string, draft: EventDraft): Promise<void> {
  await ports.threads.append(threadId, [draft], { openCalls: 'leave' })
}

/** For reading only. */
function idleTurn({ core, threadId, signal }: CommandDeps): Turn {
  return { core, desk: core.desks.of(threadId), signal: signal ?? core.closing, depth: 0 }
}
