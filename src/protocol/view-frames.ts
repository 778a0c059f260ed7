// Applies frames to blocks and status: the current activity, removed when it ends.
import type { AgentFrame } from '../core/agent/frame.ts'
import { committedFacts, freshCaveats, renderCaveats } from '../core/edit/report-text.ts'
import { errorWords } from '../core/errors.ts'
import type { Approval } from './client.ts'
import { type BlockList, runKey, toolBlock } from './view-events.ts'
import {
  computeProgress,
  type EditBlock,
  type NoticeBlock,
  type ToolBlock,
  type ViewStatus,
} from './view-texts.ts'

interface Shown {
  readonly list: BlockList
  readonly status: ViewStatus
}
type Frame<T extends AgentFrame['type']> = Extract<AgentFrame, { type: T }>

/** The status and live blocks after a frame. An event will replace the live blocks. */
export function showFrame(
  shown: Shown,
  live: readonly string[],
  frame: AgentFrame,
): { readonly status: ViewStatus; readonly live: readonly string[] } {
  const { list, status } = shown
  switch (frame.type) {
    case 'text-delta':
    case 'thinking-delta':
      return { status: at(status, WORDS[frame.type], frame), live: appendText(list, live, frame) }
    case 'answer-restart':
      list.exchange(live, [])
      notice(list, 'warning', `${sentence(frame.reason)} Asking again.`)
      return { status, live: [] }
    case 'turn-end':
      list.exchange(live, [])
      sayEnd(list, frame)
      return { status: atRest(status), live: [] }
    default:
      return { status: statusAfter(shown, frame), live }
  }
}

const WORDS = { 'text-delta': 'Answering', 'thinking-delta': 'Thinking' } as const
const LIVE_KINDS = { 'text-delta': 'answer', 'thinking-delta': 'thinking' } as const

function statusAfter({ list, status }: Shown, frame: AgentFrame): ViewStatus {
  switch (frame.type) {
    case 'turn-start':
      return { ...status, isWorking: true, activity: activity('Waiting for the model', frame) }
    case 'model-retry':
      list.put(retryBlock(list, frame))
      return at(status, retryWords(frame), frame)
    case 'tool-start':
      setTool(list, frame, { name: frame.name, subject: frame.subject, state: 'running' })
      return at(withoutApproval(status, frame.callId), runningWords(frame.name), frame)
    case 'tool-progress':
      setTool(list, frame, { progress: frame.text })
      return status
    case 'tool-end':
      setTool(list, frame, { name: frame.name, state: frame.status })
      return at(withoutApproval(status, frame.callId), 'Waiting for the model', frame)
    case 'approval-request':
      setTool(list, frame, { name: frame.name, subject: frame.subject, state: 'asking' })
      return { ...status, approvals: [...status.approvals, readApproval(frame)] }
    case 'notice':
      if (frame.level !== 'info' || !isSaid(list, frame.message))
        notice(list, frame.level, frame.message)
      return status
    case 'error':
      if (frame.context.operation !== 'compact') sayError(list, frame.error)
      return status
    case 'COMPACTION_START':
      list.put(startedBlock(frame))
      return {
        ...status,
        compaction: { ...activity(frame.message, frame), strategy: frame.strategy },
      }
    case 'COMPACTION_PROGRESS':
      return progressed({ list, status }, frame)
    case 'COMPACTION_COMPLETE':
      list.put(endedBlock(list, frame))
      return withoutCompaction(status)
    default:
      return status
  }
}

/** One line for all attempts of a request. */
function retryBlock(list: BlockList, frame: Frame<'model-retry'>): NoticeBlock {
  const last = list.blocks.at(-1)
  const isSame = last?.kind === 'notice' && last.isRetry
  // This stays after the answer, so the waiting time appears in the status only.
  const text = `Asking again, attempt ${frame.attempt} of ${frame.attempts}: ${sentence(frame.reason)}`
  const key = isSame ? last.key : list.newKey()
  return { kind: 'notice', key, level: 'warning', text, isRetry: true }
}

function retryWords({ attempt, attempts, waitMs }: Frame<'model-retry'>): string {
  return `Attempt ${attempt} of ${attempts} in ${Math.max(1, Math.ceil(waitMs / 1_000))} s`
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

/** The tool `run` runs commands, so it gets other words. */
function runningWords(name: string): string {
  return name === 'run' ? 'Running a command' : `Running ${name}`
}

/** Continues a text of the same kind; another kind starts a new block. */
function appendText(
  list: BlockList,
  live: readonly string[],
  { type, text }: Frame<'text-delta' | 'thinking-delta'>,
): readonly string[] {
  const kind = LIVE_KINDS[type]
  const last = list.get(live.at(-1) ?? '')
  if (last?.kind === kind) {
    list.put({ ...last, text: last.text + text })
    return live
  }
  const key = `live:${live.length}`
  list.put({ kind, key, text, isStreaming: true })
  return [...live, key]
}

function activity(what: string, { timestamp }: AgentFrame): { what: string; since: Date } {
  return { what, since: timestamp }
}

/** The time counts from the start of the turn. */
function at(status: ViewStatus, what: string, { timestamp }: AgentFrame): ViewStatus {
  if (status.activity?.what === what && status.isWorking) return status
  const since = status.activity?.since ?? timestamp
  return { ...status, isWorking: true, activity: { what, since } }
}

function atRest({ queued, compaction }: ViewStatus): ViewStatus {
  return { isWorking: false, queued, approvals: [], ...(compaction && { compaction }) }
}

function setTool(
  list: BlockList,
  { callId }: { readonly callId: string },
  known: Partial<ToolBlock>,
): void {
  const block = toolBlock(list, callId)
  // The log overrides live data.
  if (block.result === undefined) list.put({ ...block, ...known })
}

function readApproval(frame: Frame<'approval-request'>): Approval {
  const { callId, name, subject, reason, diff } = frame
  return { callId, name, subject, reason, ...(diff !== undefined && { diff }) }
}

function withoutApproval(status: ViewStatus, id: string): ViewStatus {
  const approvals = status.approvals.filter(({ callId }) => callId !== id)
  return approvals.length === status.approvals.length ? status : { ...status, approvals }
}

function startedBlock(frame: Frame<'COMPACTION_START'>): EditBlock {
  const { runId, strategy, message, timestamp } = frame
  const isFresh = strategy === 'fresh-session'
  return {
    time: timestamp,
    kind: 'compaction',
    key: runKey(runId),
    state: 'running',
    strategy,
    message,
    isFresh,
  }
}

function progressed({ list, status }: Shown, frame: Frame<'COMPACTION_PROGRESS'>): ViewStatus {
  const { runId, strategy, message, done, total, timestamp } = frame
  const block = list.get(runKey(runId))
  if (block?.kind === 'compaction')
    list.put({
      ...block,
      strategy,
      message,
      ...(done !== undefined && { done }),
      ...(total !== undefined && { total }),
    })
  const started = status.compaction ?? { what: message, since: timestamp, strategy }
  return { ...status, compaction: computeProgress({ ...started, strategy }, frame) }
}

function endedBlock(list: BlockList, frame: Frame<'COMPACTION_COMPLETE'>): EditBlock {
  const { runId, strategy, success, fresh, error, end, event, before, after, report } = frame
  const shown = list.get(runKey(runId))
  // An interface that joined during the run has only seen its event.
  const known = shown?.kind === 'compaction' ? shown : eventBlock(list, event?.seq)
  const seq = known?.seq ?? event?.seq
  const beforeTokens = known?.beforeTokens ?? before?.tokens
  const afterTokens = known?.afterTokens ?? after?.tokens
  const summary = fresh?.summary ?? known?.summary
  const isEmpty = known?.isEmpty ?? end === 'nothing'
  const reported = report?.fallback ? [report.fallback] : undefined
  // The last failure is the end itself.
  const fellBack = success
    ? (known?.fellBack ?? reported)
    : known?.fellBack?.filter(({ from }) => from !== strategy)
  const caveats = event
    ? renderCaveats(committedFacts(event.data, fellBack?.at(-1)))
    : freshCaveats(fresh)
  const note = caveats.join(' ')
  return {
    time: known?.time ?? frame.timestamp,
    kind: 'compaction',
    key: known?.key ?? runKey(runId),
    state: success ? 'done' : 'failed',
    strategy,
    isFresh: fresh !== undefined || (known?.isFresh ?? false),
    ...(seq !== undefined && { seq }),
    ...(summary !== undefined && { summary }),
    ...(beforeTokens !== undefined && { beforeTokens }),
    ...(afterTokens !== undefined && { afterTokens }),
    ...(isEmpty && { isEmpty }),
    ...(success && note && { note }),
    ...(fellBack && fellBack.length > 0 && { fellBack }),
    ...(!success && { error: error?.message ?? end }),
    ...(end === 'aborted' && { isStopped: true as const }),
    ...(!success && error?.hint !== undefined && { hint: error.hint }),
    ...(fresh && { freshThreadId: fresh.threadId }),
  }
}

function eventBlock(list: BlockList, seq: number | undefined): EditBlock | undefined {
  if (seq === undefined) return undefined
  const block = list.blocks.findLast((each) => each.kind === 'compaction' && each.seq === seq)
  return block?.kind === 'compaction' ? block : undefined
}

function withoutCompaction({ compaction: _, ...rest }: ViewStatus): ViewStatus {
  return rest
}

function sayEnd(list: BlockList, frame: Frame<'turn-end'>): void {
  if (frame.end === 'aborted') notice(list, 'info', 'Stopped.')
  else if (frame.error) sayError(list, frame.error)
  else if (frame.end === 'step-limit')
    notice(list, 'warning', 'Stopped: the most steps for one turn are used up.')
}

/** A failed turn reports its error in a frame and at its end; show it once. */
function sayError(list: BlockList, error: Error): void {
  const text = errorWords(error)
  const last = list.blocks.at(-1)
  if (last?.kind === 'notice' && last.level === 'error' && last.text === text) return
  notice(list, 'error', text)
}

/** What one request omits, the next omits as well: say it once. */
function isSaid(list: BlockList, text: string): boolean {
  return list.blocks.some((block) => block.kind === 'notice' && block.text === text)
}

function notice(list: BlockList, level: 'info' | 'warning' | 'error', text: string): void {
  list.put({ kind: 'notice', key: list.newKey(), level, text })
}
