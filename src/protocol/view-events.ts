// Turns events into blocks: the lasting part of a thread as interfaces draw it.
import { committedFacts, renderCaveats } from '../core/edit/report-text.ts'
import type { EventOf, ThreadEvent } from '../core/log/event.ts'
import type { Answer, Part } from '../core/view/content.ts'
import {
  type AnswerBlock,
  buildSummary,
  type EditBlock,
  imagesIn,
  readSubject,
  resultText,
  summaryIn,
  type ToolBlock,
  userText,
  type ViewBlock,
  withoutNote,
} from './view-texts.ts'

/** Shows an event. Returns the keys of the live blocks it replaces. */
export function showEvent(
  list: BlockList,
  event: ThreadEvent,
  live: readonly string[],
): readonly string[] {
  switch (event.type) {
    case 'AGENT_MESSAGE':
      list.exchange(live, answerBlocks(event))
      return []
    case 'USER_MESSAGE':
      showUserMessage(list, event)
      return live
    case 'TOOL_CALL':
      list.put({
        ...toolBlock(list, event.data.id),
        ...readCall(event.data),
        time: event.timestamp,
      })
      return live
    case 'TOOL_RESULT':
      showResult(list, event)
      return live
    case 'COMPACTION':
      list.put(compactionBlock(list, event))
      return live
    case 'COMPACTION_UNDONE':
    case 'COMPACTION_REDONE':
      settle(list, event.data.of, event.type === 'COMPACTION_UNDONE' ? 'undone' : 'done')
      return live
    case 'COMPACTION_FAILED':
      showFailure(list, event)
      return live
    case 'LOCAL_SYSTEM_MESSAGE':
      list.put({
        kind: 'notice',
        key: readKey(event),
        level: 'info',
        text: withoutNote(event.data, list.blocks.at(-1)),
      })
      return live
    case 'THREAD_STARTED':
      showOrigin(list, event)
      return live
    default:
      return live
  }
}

/** A conversation may continue in another thread, whose numbers restart. */
function readKey({ threadId, seq }: ThreadEvent): string {
  return `${threadId}/${seq}`
}

export function runKey(runId: string): string {
  return `run:${runId}`
}

/** The block of a call, with what is known so far. */
export function toolBlock(list: BlockList, callId: string): ToolBlock {
  const key = `call:${callId}`
  const block = list.get(key)
  if (block?.kind === 'tool') return block
  return { kind: 'tool', key, callId, name: 'tool', subject: '', state: 'waiting' }
}

function readCall({ name, arguments: input }: EventOf<'TOOL_CALL'>['data']): Partial<ToolBlock> {
  return { name, input, subject: readSubject(input) }
}

function answerBlocks(event: EventOf<'AGENT_MESSAGE'>): ViewBlock[] {
  const { data } = event
  const stored = storedAt(event)
  const blocks = readParts(data).flatMap((part, index): ViewBlock[] => {
    const key = `${readKey(event)}.${index}`
    if (part.type === 'text')
      return part.text.trim() === ''
        ? []
        : [{ kind: 'answer', key, text: part.text, isStreaming: false, ...stored }]
    if (part.type === 'thinking' && part.thinking.trim() !== '')
      return [{ kind: 'thinking', key, text: part.thinking, isStreaming: false, ...stored }]
    return []
  })
  const cut = readCut(data)
  if (cut === undefined) return blocks
  const last = blocks.findLast((block): block is AnswerBlock => block.kind === 'answer')
  if (last) return blocks.map((block) => (block === last ? { ...last, cut } : block))
  return [
    ...blocks,
    { kind: 'answer', key: `${readKey(event)}.cut`, text: '', isStreaming: false, cut, ...stored },
  ]
}

function storedAt({ seq, timestamp }: ThreadEvent): { time: Date; entry: string } {
  return { time: timestamp, entry: `e${seq}` }
}

function readParts({ parts, content }: Answer): readonly Part[] {
  return parts ?? [{ type: 'text', text: content }]
}

function readCut({ stopReason }: Answer): AnswerBlock['cut'] {
  return stopReason === undefined || stopReason === 'end' || stopReason === 'tool_use'
    ? undefined
    : stopReason
}

function showUserMessage(list: BlockList, event: EventOf<'USER_MESSAGE'>): void {
  const { data, origin, threadId } = event
  const { text, attachments } = userText(data)
  const key = readKey(event)
  const summary = origin === 'summary' ? summaryIn(text) : undefined
  const isNote = origin !== undefined && origin !== 'typed' && NOTE.test(text)
  if (isNote && summary === undefined) {
    if (!addToSummary(list, threadId, text)) list.put({ kind: 'notice', key, level: 'info', text })
    return
  }
  if (summary === undefined) {
    const isAutomatic = origin !== undefined && origin !== 'typed'
    const media = typeof data === 'string' ? [] : data
    const images = imagesIn(media.flatMap((part) => ('media' in part ? [part.media] : [])))
    list.put({ kind: 'user', key, text, attachments, isAutomatic, ...images, ...storedAt(event) })
    return
  }
  // The summary is shown in that thread already.
  if (cameFrom(list, threadId)) return
  const strategy = 'fresh-session'
  const { timestamp: time } = event
  list.put({ kind: 'compaction', key, state: 'done', strategy, summary, isFresh: true, time })
}

const NOTE = /^\[Context note, not a (?:new )?request: /

/** The entry behind the summary that opened this thread is for the model; show both together. */
function addToSummary(list: BlockList, threadId: string, note: string): boolean {
  if (cameFrom(list, threadId)) return true
  const last = list.blocks.at(-1)
  if (last?.kind !== 'compaction' || !last.isFresh || last.summary === undefined) return false
  list.put({ ...last, summary: `${last.summary}\n\n${note}` })
  return true
}

/** Whether the interface was in the parent thread and saw this one open. */
function cameFrom(list: BlockList, threadId: string): boolean {
  const last = list.blocks.findLast((block) => block.kind === 'compaction')
  return last?.kind === 'compaction' && last.freshThreadId === threadId
}

function showResult(list: BlockList, { seq, data, timestamp }: EventOf<'TOOL_RESULT'>): void {
  const { progress: _, ...block } = toolBlock(list, data.id ?? `result-${seq}`)
  list.put({
    ...block,
    time: block.time ?? timestamp,
    entry: `e${seq}`,
    state: data.status,
    result: resultText(data.content),
    ...imagesIn(data.content),
  })
}

function compactionBlock(list: BlockList, event: EventOf<'COMPACTION'>): EditBlock {
  const { seq, data } = event
  const running = list.get(runKey(data.runId))
  const fellBack = running?.kind === 'compaction' ? listFailures(running) : []
  const summary = buildSummary(data)
  const before = data.before?.tokens
  const after = data.after?.tokens
  const note = renderCaveats(committedFacts(data, fellBack.at(-1))).join(' ')
  return {
    kind: 'compaction',
    // If its run was visible, use the block of the run.
    key: running?.key ?? readKey(event),
    state: 'done',
    strategy: data.strategyId,
    seq,
    time: event.timestamp,
    isFresh: false,
    ...(fellBack.length > 0 && { fellBack }),
    ...(summary !== undefined && { summary }),
    ...(before !== undefined && { beforeTokens: before }),
    ...(after !== undefined && { afterTokens: after }),
    ...(data.edits.length === 0 && { isEmpty: true }),
    ...(note !== '' && { note }),
  }
}

/** Newest first: nearly always the last one is undone. */
function settle(list: BlockList, seq: number, state: 'undone' | 'done'): void {
  const block = list.blocks.findLast((each) => each.kind === 'compaction' && each.seq === seq)
  if (block?.kind === 'compaction') list.put({ ...block, state })
}

/** Earlier attempts of this run; a single failure counts, too. */
function listFailures({ state, strategy, error, fellBack = [] }: EditBlock) {
  return state === 'failed' ? [...fellBack, { from: strategy, reason: error ?? '' }] : fellBack
}

function showFailure(list: BlockList, { data, timestamp }: EventOf<'COMPACTION_FAILED'>): void {
  const { runId, strategyId: strategy, reason } = data
  const key = runKey(runId)
  const shown = list.get(key)
  // A run that goes on to another strategy has not failed yet: its own end will tell.
  if (shown?.kind === 'compaction' && shown.state === 'running') {
    list.put({ ...shown, fellBack: [...listFailures(shown), { from: strategy, reason }] })
    return
  }
  const fellBack = shown?.kind === 'compaction' ? listFailures(shown) : []
  list.put({
    kind: 'compaction',
    key,
    state: 'failed',
    strategy,
    error: reason,
    isFresh: false,
    time: timestamp,
    ...(fellBack.length > 0 && { fellBack }),
  })
}

function showOrigin(list: BlockList, event: EventOf<'THREAD_STARTED'>): void {
  const { from, reason, title } = event.data
  if (from === undefined || cameFrom(list, event.threadId)) return
  const named = title === undefined ? '' : ` «${title}»`
  const text = `This thread${named} came from ${from.threadId} (${reason ?? 'fork'}).`
  const origin = { threadId: from.threadId, reason: reason ?? 'fork' }
  list.put({ kind: 'notice', key: readKey(event), level: 'info', text, origin })
}

/** The blocks of a view in order, with lookup by key; updates near the end are cheap */
export class BlockList {
  readonly #blocks: ViewBlock[] = []
  readonly #places = new Map<string, number>()
  #made = 0

  get blocks(): readonly ViewBlock[] {
    return this.#blocks
  }

  get(key: string): ViewBlock | undefined {
    const place = this.#places.get(key)
    return place === undefined ? undefined : this.#blocks[place]
  }

  /** A key no other block has. */
  newKey(): string {
    this.#made += 1
    return `n${this.#made}`
  }

  /** Replaces the block with its key, or appends. */
  put(block: ViewBlock): void {
    const place = this.#places.get(block.key)
    if (place !== undefined) {
      this.#blocks[place] = block
      return
    }
    this.#places.set(block.key, this.#blocks.length)
    this.#blocks.push(block)
  }

  /** Replaces the first of the keyed blocks and removes the others; appends if there is none. */
  exchange(keys: readonly string[], blocks: readonly ViewBlock[]): void {
    const places = keys
      .flatMap((key) => this.#places.get(key) ?? [])
      .sort((one, other) => one - other)
    const first = places[0] ?? this.#blocks.length
    const gone = new Set(keys)
    const behind = this.#blocks.splice(first).filter(({ key }) => !gone.has(key))
    for (const key of keys) this.#places.delete(key)
    for (const block of behind) this.#places.delete(block.key)
    for (const block of [...blocks, ...behind]) this.put(block)
  }

  /** Adds blocks of an earlier part of the thread. They replace existing blocks with the same keys. */
  prepend(earlier: readonly ViewBlock[]): void {
    const keys = new Set(earlier.map(({ key }) => key))
    const all = [...earlier, ...this.#blocks.filter(({ key }) => !keys.has(key))]
    this.#blocks.length = 0
    this.#places.clear()
    for (const block of all) this.put(block)
  }
}
