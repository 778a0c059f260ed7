// A thread as drawn by every interface: a fold of events and frames into blocks and a status.
import { COMMANDS } from '../core/agent/commands.ts'
import type { AgentFrame } from '../core/agent/frame.ts'
import type { ThreadEvent } from '../core/log/event.ts'
import { nearestWord } from '../core/text/nearest-word.ts'
import { textOfUserContent } from '../core/view/content.ts'
import type { StreamItem, ThreadDetail, TimelinePoint } from './client.ts'
import { BlockList, showEvent } from './view-events.ts'
import { showFrame } from './view-frames.ts'
import {
  type EditBlock,
  IDLE,
  type NoticeBlock,
  type QueuedMessage,
  type ToolBlock,
  type ViewBlock,
  type ViewStatus,
} from './view-texts.ts'

type ThreadStatus = Pick<ThreadDetail, 'isWorking' | 'approvals'> &
  Partial<Pick<ThreadDetail, 'isCompacting' | 'queued'>>

/** A compaction of which nothing else is known. */
const ASSUMED = { what: 'Compacting', strategy: '' }

/**
 * Updated as items are applied; blocks and status are replaced, never mutated. The cost of an item depends on
 * what is new, not on the length of the thread.
 */
export class ThreadView {
  readonly #list = new BlockList()
  #live: readonly string[] = []
  #status: ViewStatus = IDLE
  /** Compactions that were undone or redone, by number. Their blocks may be shown later. */
  readonly #settled = new Map<number, 'undone' | 'done'>()
  /** Sizes in the window's token base, by the key of a compaction. */
  readonly #sizes = new Map<string, NonNullable<TimelinePoint['compaction']>>()

  get blocks(): readonly ViewBlock[] {
    return this.#list.blocks
  }

  get status(): ViewStatus {
    return this.#status
  }

  apply(item: StreamItem): void {
    if (item.kind === 'event') this.#applyEvent(item.event)
    else if (item.kind === 'frame') this.#applyFrame(item.frame)
    else this.#forgetLive()
  }

  /** Adds a notice of the interface itself. */
  say(notice: Omit<NoticeBlock, 'kind' | 'key'>): void {
    this.#list.put({ kind: 'notice', key: this.#list.newKey(), ...notice })
  }

  /** Sets the activity after frames may have been missed; with `since`, also that it is compacting. */
  assume(known: ThreadStatus, since?: Date): void {
    const { isWorking, approvals, isCompacting = true } = known
    for (const { callId } of approvals) {
      const block = this.#list.get(`call:${callId}`)
      if (block?.kind === 'tool' && block.state === 'waiting')
        this.#list.put({ ...block, state: 'asking' })
    }
    const { activity } = this.#status
    // Messages a fresh session took along wait there, although this thread's log does not say so.
    const queued = known.queued === 0 ? [] : this.#status.queued
    const compaction = this.#status.compaction ?? (since && { ...ASSUMED, since })
    this.#status = {
      isWorking,
      approvals,
      queued,
      ...(isWorking && activity && { activity }),
      ...(isCompacting && compaction && { compaction }),
    }
  }

  /** An assumed compaction may end without a frame. */
  endAssumed({ isCompacting = true }: ThreadStatus): void {
    if (isCompacting || this.#status.compaction?.strategy !== ASSUMED.strategy) return
    const { compaction: _, ...status } = this.#status
    this.#status = status
  }

  /** Adds earlier events. */
  prepend(events: readonly ThreadEvent[]): void {
    const earlier = new ThreadView()
    for (const event of events) earlier.#applyEvent(event)
    this.#list.prepend(earlier.blocks.map((block) => this.#asItIsNow(block)))
  }

  /** Whether every compaction's size is in the window's token base; events hold estimates. */
  get isMeasured(): boolean {
    return this.#compactions().every(({ key }) => this.#sizes.has(key))
  }

  /** Sets the sizes of compactions from the timeline of their thread. */
  measure(points: readonly TimelinePoint[]): void {
    for (const block of this.#compactions()) {
      const found = points.find(({ seq }) => seq === block.seq)?.compaction
      const size = this.#sizes.get(block.key) ?? found
      if (!size) continue
      this.#sizes.set(block.key, size)
      const { before: beforeTokens, after: afterTokens } = size
      if (beforeTokens === undefined || afterTokens === undefined) continue
      if (beforeTokens !== block.beforeTokens || afterTokens !== block.afterTokens)
        this.#list.put({ ...block, beforeTokens, afterTokens })
    }
  }

  #compactions(): readonly EditBlock[] {
    return this.#list.blocks.flatMap((block) =>
      block.kind === 'compaction' && block.seq !== undefined ? [block] : [],
    )
  }

  /** Clears the display; the thread is unchanged. */
  clear(): void {
    this.#list.exchange(
      this.#list.blocks.map(({ key }) => key),
      [],
    )
    this.#live = []
  }

  /** Continues in another thread: keeps the blocks and ends the activity. */
  continueElsewhere(): void {
    this.#forgetLive()
    this.#status = IDLE
  }

  #applyEvent(event: ThreadEvent): void {
    this.#live = showEvent(this.#list, event, this.#live)
    if (event.type === 'COMPACTION_UNDONE') this.#settled.set(event.data.of, 'undone')
    if (event.type === 'COMPACTION_REDONE') this.#settled.set(event.data.of, 'done')
    const queued = queueAfter(this.#status.queued, event)
    if (queued !== this.#status.queued) this.#status = { ...this.#status, queued }
  }

  /** Adds to an earlier block what later events tell: the result of a call, an undo. */
  #asItIsNow(block: ViewBlock): ViewBlock {
    if (block.kind === 'tool') {
      const later = this.#list.get(block.key)
      return later?.kind === 'tool' ? laterTool(block, later) : block
    }
    if (block.kind !== 'compaction' || block.seq === undefined) return block
    const state = this.#settled.get(block.seq)
    return state ? { ...block, state } : block
  }

  #applyFrame(frame: AgentFrame): void {
    const { status, live } = showFrame(
      { list: this.#list, status: this.#status },
      this.#live,
      frame,
    )
    const isMoved = frame.type === 'COMPACTION_COMPLETE' && frame.fresh !== undefined
    this.#status = isMoved ? { ...status, queued: [] } : status
    this.#live = live
  }

  #forgetLive(): void {
    this.#list.exchange(this.#live, [])
    this.#live = []
  }
}

/** Its call is in the earlier part, unless the same id was used again. */
function laterTool(earlier: ToolBlock, later: ToolBlock): ToolBlock {
  const { name, subject, input, result = earlier.result } = later
  return {
    ...earlier,
    ...(input !== undefined && { name, subject, input }),
    ...(result !== undefined && { result }),
    state: later.state === 'waiting' ? earlier.state : later.state,
  }
}

function queueAfter(
  queued: readonly QueuedMessage[],
  event: ThreadEvent,
): readonly QueuedMessage[] {
  switch (event.type) {
    case 'MESSAGE_QUEUED': {
      const { messageId, content } = event.data
      if (content === undefined) return queued
      return [...without(queued, messageId), { messageId, text: textOfUserContent(content) }]
    }
    case 'MESSAGE_WITHDRAWN':
      return without(queued, event.data.messageId)
    case 'USER_MESSAGE':
      return without(queued, event.id)
    default:
      return queued
  }
}

function without(queued: readonly QueuedMessage[], id: string): readonly QueuedMessage[] {
  return queued.some(({ messageId }) => messageId === id)
    ? queued.filter(({ messageId }) => messageId !== id)
    : queued
}

/** Letters and hyphens; a second slash or a dot makes it a path. */
const LIKE_A_COMMAND = /^\/[a-z-]+(?=\s|$)/i

/** The start of a command followed by a whole one: `/com/compact`. */
const TWO_COMMANDS = /^(\/[a-z-]+)(\/[a-z-]+)(?=\s|$)/i

interface InterfaceCommands {
  /** Commands that only this interface has. */
  readonly own: readonly string[]
  /** How to list all commands. */
  readonly listing: string
}

/**
 * What to say about an unknown command: a single word, or a near miss of an existing one. Undefined for
 * commands, and for messages that happen to begin with a slash.
 */
export function unknownCommand(
  text: string,
  { own, listing }: InterfaceCommands,
): string | undefined {
  if (text.trim() === '/') return `Type a command behind the slash. ${listing}`
  const names = [...COMMANDS.map(({ name }) => name), ...own]
  const twice = TWO_COMMANDS.exec(text)
  if (
    twice &&
    names.includes(twice[2] ?? '') &&
    names.some((name) => name.startsWith(twice[1] ?? ''))
  )
    return `There is no command ${twice[0]}. Did you mean ${twice[2]}?`
  const word = LIKE_A_COMMAND.exec(text)?.[0]
  if (word === undefined || names.includes(word)) return undefined
  const near = nearestWord(word, names)
  if (near !== undefined) return `There is no command ${word}. Did you mean ${near}?`
  return word === text ? `There is no command ${word}. ${listing}` : undefined
}
