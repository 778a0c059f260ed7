// Searches the logs of some threads and their origins, and chooses what to show.
import { readRow } from '../core/log/codec.ts'
import type { ThreadEvent } from '../core/log/event.ts'
import type { Store } from '../core/ports.ts'
import { type ArchiveFind, type ArchiveFinds, refInThread } from '../core/search/archive.ts'
import { type ChoiceLimits, chooseFinds } from '../core/search/choose-finds.ts'
import { textOfCall, textsIn } from '../core/search/documents.ts'
import { computeStems, countWords, weighTexts } from '../core/search/matching.ts'
import { namesIn } from '../core/search/words.ts'
import type { ToolCall } from '../core/view/content.ts'
import { parseEntryId } from '../core/view/entry.ts'
import { listPastThreads } from './past-threads.ts'
import {
  findSpeaker,
  type MatchingEntry,
  readBody,
  Scan,
  type SearchLimits,
  scanThread,
} from './search-thread.ts'
import type { Threads } from './threads.ts'

export interface SearchPorts {
  readonly threads: Pick<Threads, 'context' | 'messages'>
  readonly store: Pick<Store, 'read' | 'readMany' | 'info'>
  readonly limits?: Partial<SearchLimits>
}

const LIMITS: SearchLimits = { events: 200_000, chars: 200_000_000 }
/** Keeps five finds with their descriptions within 400 tokens. */
const TOKENS_PER_FIND = 75

export interface SearchOptions {
  readonly limit: number
  /**
   * The asker sees the context: visible entries come last, without their names. The query itself is among
   * them.
   */
  readonly seesContext: boolean
}

export async function searchArchive(
  ports: SearchPorts,
  threadIds: readonly string[],
  query: string,
  { limit, seesContext }: SearchOptions,
): Promise<ArchiveFinds> {
  const scan = new Scan(computeStems(query))
  let searched: { readonly searchedFrom: number; readonly searchedThread?: string } | undefined
  for (const threadId of threadIds) {
    const own = await scanAll(ports, threadId, scan)
    searched ??= own
  }
  const { matches, asked } = scan.ranked()
  const view = await readView(ports.threads, threadIds)
  const known = seesContext ? await namesInView(ports.threads, threadIds) : new Set<string>()
  const isInView = (match: MatchingEntry) => view.has(match) && !match.isShownInPart
  const tierOf = (match: MatchingEntry): number => {
    if (seesContext && isInView(match)) return 2
    return match.isCopy ? 1 : 0
  }
  const byTier = matches.toSorted((one, other) => tierOf(one) - tierOf(other)) // stable: best first
  const read = await readMatches(ports.store, byTier.slice(0, Math.max(MOST_READ_AGAIN, limit)))
  const last = Math.max(1, ...read.map(({ event }) => event.seq))
  const candidates = read.map(({ match, event, text }) => {
    const { threadId, ref: own, score } = match
    const ref = threadIds[0] === threadId ? own : refInThread(threadId, own)
    const isOwn = event.type === 'AGENT_MESSAGE'
    const about = { ref, ...describe(event, match), isVisible: isInView(match) }
    const recency = threadIds[0] === threadId ? event.seq / last : 0
    return {
      about,
      text,
      score,
      isOwn,
      recency,
      ...(match.file !== undefined && { file: match.file }),
      tier: tierOf(match),
      label: buildLabel(about),
      ref,
    }
  })
  const limits = { ...choiceLimits(limit, known), further: FURTHER }
  const chosen = chooseFinds(candidates, asked, limits)
  const finds = chosen
    .slice(0, limit)
    .map(({ candidate, ...shown }) => ({ ...candidate.about, ...shown }))
  const further = chosen.slice(limit).map(({ candidate, names }) => ({ ref: candidate.ref, names }))
  return { finds, further, matching: matches.length, searchedFrom: 1, ...searched }
}

/** How many of the best are read again to locate the words in them. */
const MOST_READ_AGAIN = 60
/** Entries after the finds that are searched for names. */
const FURTHER = 12

function buildLabel({ ref, speaker }: Pick<ArchiveFind, 'ref' | 'speaker'>): string {
  return `${ref} ${speaker}`
}

export interface FoundEntry extends Pick<MatchingEntry, 'threadId' | 'ref' | 'tool'> {}

/** Ranks and shows the finds of an index in the same way; refs name their threads. */
export async function showFound(
  { store, threads }: SearchPorts,
  found: readonly FoundEntry[],
  query: string,
  limit: number,
): Promise<ArchiveFind[]> {
  const read = await readMatches(store, found)
  const words = computeStems(query)
  const counted = read.map(({ text }) => ({ counts: countWords(text, words), chars: text.length }))
  const chars = counted.reduce((sum, each) => sum + each.chars, 0)
  const { asked, scores } = weighTexts(counted, words, { texts: counted.length, chars })
  const ranked = read
    .map(({ match, event, text }, index) => {
      const about = { ref: refInThread(match.threadId, match.ref), ...describe(event, match) }
      return { match, about, text, score: scores[index] ?? 0, label: buildLabel(about) }
    })
    .sort((one, other) => other.score - one.score)
  const chosen = chooseFinds(ranked, asked, choiceLimits(limit, new Set()))
  const view = await readView(
    threads,
    chosen.map(({ candidate }) => candidate.match.threadId),
  )
  return chosen.map(({ candidate: { match, about }, snippet, names }) => ({
    ...about,
    snippet,
    names,
    isVisible: view.has(match),
  }))
}

function choiceLimits(finds: number, known: ReadonlySet<string>): ChoiceLimits {
  return { finds, tokens: finds * TOKENS_PER_FIND, known }
}

/** The thread and its origins, latest first, within the limits. */
async function scanAll({ store, limits }: SearchPorts, threadId: string, scan: Scan) {
  let { searchedFrom, left } = await scanThread(store, threadId, scan, { ...LIMITS, ...limits })
  // A thread not searched to its start is the last one.
  if (searchedFrom > 1) return { searchedFrom }
  let searchedThread: string | undefined
  for await (const past of listPastThreads(store, threadId)) {
    const scanned = await scanThread(store, past.threadId, scan, left, past.upTo)
    searchedThread = past.threadId
    searchedFrom = scanned.searchedFrom
    left = scanned.left
    if (searchedFrom > 1) break
  }
  return { searchedFrom, ...(searchedThread !== undefined && { searchedThread }) }
}

interface View {
  has(match: FoundEntry): boolean
}

async function readView(
  threads: SearchPorts['threads'],
  threadIds: readonly string[],
): Promise<View> {
  const visible = new Set<string>()
  for (const threadId of new Set(threadIds))
    for (const { id } of (await threads.context(threadId)).items)
      visible.add(refInThread(threadId, id))
  return { has: ({ threadId, ref }) => visible.has(refInThread(threadId, ref)) }
}

/** The names the asker sees. */
async function namesInView(
  threads: SearchPorts['threads'],
  threadIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const names = new Set<string>()
  for (const threadId of threadIds)
    for (const { parts } of (await threads.messages(threadId)).messages)
      for (const text of parts.flatMap(listTexts)) for (const name of namesIn(text)) names.add(name)
  return names
}

type MessagePart = Awaited<ReturnType<Threads['messages']>>['messages'][number]['parts'][number]

function listTexts(part: MessagePart): string[] {
  if (part.type === 'tool_call') return textsIn(part.arguments)
  if (part.type === 'tool_result') return part.content.map(({ text }) => text ?? '')
  return 'text' in part ? [part.text] : []
}

function describe(event: ThreadEvent, { tool }: FoundEntry) {
  return { speaker: findSpeaker(event, tool), timestamp: event.timestamp }
}

interface ReadMatch<M> {
  readonly match: M
  readonly event: ThreadEvent
  readonly text: string
}

/** In the order asked for. */
async function readMatches<M extends FoundEntry>(
  store: SearchPorts['store'],
  matches: readonly M[],
): Promise<ReadMatch<M>[]> {
  const read = new Map<M, ReadMatch<M>>()
  for (const [threadId, members] of Map.groupBy(matches, (match) => match.threadId)) {
    const seqs = members.map(({ ref }) => parseEntryId(ref).seq)
    const rows = await store.readMany(
      threadId,
      seqs.map((seq) => [seq, seq] as const),
    )
    const events = rows.map(readRow)
    const calls = await findCalls(store, threadId, events)
    for (const [index, match] of members.entries()) {
      const event = events[index]
      if (event)
        read.set(match, { match, event, text: readText(event, calls.get(event.seq) ?? []) })
    }
  }
  return matches.flatMap((match) => read.get(match) ?? [])
}

/** As scanned: a call's argument texts without JSON syntax. */
function readText(event: ThreadEvent, calls: readonly ToolCall[]): string {
  return [readBody(event, []), ...calls.map(textOfCall)].filter((text) => text !== '').join('\n')
}

/** An answer's calls directly follow it: they share its append. */
export async function findCalls(
  store: SearchPorts['store'],
  threadId: string,
  events: readonly ThreadEvent[],
): Promise<Map<number, ToolCall[]>> {
  const ranges = events.flatMap((event): [number, number][] =>
    event.type === 'AGENT_MESSAGE' && event.data.calls.length > 0
      ? [[event.seq + 1, event.seq + event.data.calls.length]]
      : [],
  )
  const calls = new Map<number, ToolCall[]>()
  if (ranges.length === 0) return calls
  for (const row of await store.readMany(threadId, ranges)) {
    const event = readRow(row)
    if (event.type !== 'TOOL_CALL') continue
    const { answer } = event.data
    calls.set(answer, [...(calls.get(answer) ?? []), event.data])
  }
  return calls
}
