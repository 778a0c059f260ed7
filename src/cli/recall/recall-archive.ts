// Everything ever said, found by words or read by ref: in the store's threads, or in one session.
import type { Composed } from '../../compose.ts'
import { PrecisError } from '../../core/errors.ts'
import { readRow } from '../../core/log/codec.ts'
import type { SearchFind } from '../../core/ports.ts'
import {
  type ArchiveFind,
  type ArchiveFinds,
  type ParsedRef,
  parseRef,
  refInThread,
} from '../../core/search/archive.ts'
import type { SearchKind } from '../../core/search/documents.ts'
import { tellingText } from '../../core/search/words.ts'
import { originalId } from '../../core/view/entry.ts'
import { LIMITS } from '../../stores/rows/limits.ts'
import { archiveOf } from '../../threads/archive.ts'
import { type FoundEntry, searchArchive, showFound } from '../../threads/search-archive.ts'
import type { Io } from '../process-io.ts'
import { programName } from '../program-name.ts'
import { isThread, parseTarget } from '../session/formats.ts'
import { readImported } from '../session/replace-unchanged.ts'
import { openSession } from '../session/session.ts'
import { hasId } from '../sessions/agent-folders.ts'
import { loadSettings } from '../settings/settings.ts'
import { wholeNumber } from '../terminal/arguments.ts'
import { ProgressLine } from '../terminal/progress.ts'
import { oneLine, print, quoted } from '../terminal/terminal.ts'
import { withHome } from '../threads/home.ts'
import { wholePath } from '../threads/import-file.ts'

export interface RecallFlags {
  readonly in?: string
  readonly limit: string
  readonly format?: string
  readonly json?: boolean
}

const MOST_FINDS = 100

export async function recallWords(
  words: readonly string[],
  flags: RecallFlags,
  io: Io,
): Promise<void> {
  const query = words.join(' ').trim()
  if (query === '')
    throw new PrecisError('usage', 'the query is empty', { hint: 'Pass words to search for.' })
  const limit = wholeNumber(flags.limit, '--limit', 1, MOST_FINDS)
  const where = flags.in
  const recalled =
    where === undefined
      ? await withHome(io, (home) => searchedAll(home, query, limit, io))
      : await onSession(io, { ...flags, in: where }, async (composed, threadIds) => {
          const found = await searchIn(composed, threadIds, query, limit)
          return {
            ...found,
            finds: found.finds.map((find) => withSubName(find, threadIds)),
            further: found.further?.map((find) => withSubName(find, threadIds)) ?? [],
          }
        })
  await print(io, recalled, flags.json, ({ finds, further, matching, threads }, style, columns) => {
    if (finds.length === 0)
      return `Nothing was found for “${oneLine(query, 60)}”. Try other words.\n`
    const places = threads === 1 ? 'one thread' : `${threads} threads`
    const show = `${programName(io)} show REF${where === undefined ? '' : ` --in ${quoted(where)}`}`
    const count =
      matching === undefined ? `The best ${finds.length}` : `${finds.length} of ${matching}`
    const heading = `${count} found in ${places}, best first; ${show} reads one in full.`
    const lines = finds.map(({ ref, speaker, at, snippet, names }) => {
      const head = `${style.bold(ref)} ${style.dim(`${speaker}, ${at.slice(0, 16).replace('T', ' ')}`)}`
      const near = names.length === 0 ? '' : `\n  ${style.dim('names:')} ${names.join(', ')}`
      return `${head}\n  ${oneLine(snippet, 2 * columns)}${near}`
    })
    const behind = (further ?? []).map(
      ({ ref, names }) => `${style.bold(ref)} ${style.dim('names:')} ${names.join(', ')}`,
    )
    return `${[heading, ...lines, ...behind].join('\n')}\n`
  })
}

/** Each import gives a file's sub-agents new thread ids, so their refs use numbers instead. */
function withSubName<T extends { readonly ref: string }>(find: T, threadIds: readonly string[]): T {
  const { threadId, id } = parseRef(find.ref) ?? {}
  const at = threadId === undefined ? -1 : threadIds.indexOf(threadId)
  return at < 1 || id === undefined ? find : { ...find, ref: refInThread(`sub-${at}`, id) }
}

const SUB = /^sub-(\d{1,6})$/

/** The first search over a store indexes all of it, which may take a while. */
async function searchedAll(
  home: Composed,
  query: string,
  limit: number,
  io: Io,
): Promise<RecallResult> {
  const progress = new ProgressLine(io.stderr)
  const startMs = performance.now()
  const ticking = setInterval(() => {
    const seconds = Math.round((performance.now() - startMs) / 1_000)
    progress.say(`indexing new threads, then searching … ${seconds} s`)
  }, TICK_MS)
  try {
    return await searchAll(home, query, limit)
  } finally {
    clearInterval(ticking)
    progress.end()
  }
}

const TICK_MS = 500

export interface ShowFlags {
  readonly in?: string
  readonly offset: string
  readonly limit: string
  readonly format?: string
  readonly json?: boolean
}

const MOST_CHARS = 10_000_000

export async function showRef(given: string, flags: ShowFlags, io: Io): Promise<void> {
  const ref = given.replace(/^\[?(?:ref:)?|\]$/g, '')
  const parsed = parseRef(ref)
  if (!parsed)
    throw new PrecisError('usage', `${given} is not a ref`, {
      where: given,
      hint: 'A ref looks like e12 or c40.0, or thr_…:e12; precis recall finds some.',
    })
  const sub = SUB.exec(parsed.threadId ?? '')?.[1]
  const where =
    flags.in ?? (sub === undefined ? await resolveSession(parsed.threadId, io) : undefined)
  if (where === undefined)
    throw new PrecisError('usage', `${ref} needs the thread or session that it belongs to`, {
      where: given,
      hint: `Say --in FILE or --in thr_…, or name the thread in the ref: thr_…:${ref}.`,
    })
  const offset = wholeNumber(flags.offset, '--offset', 0, Number.MAX_SAFE_INTEGER)
  const limit = wholeNumber(flags.limit, '--limit', 1, MOST_CHARS)
  const page = await onSession(
    io,
    { ...flags, in: where },
    async ({ threads, store }, threadIds) => {
      const threadId = threadIds[Number(sub ?? 0)]
      if (threadId === undefined) throw noSubAgent(ref, threadIds.length - 1)
      if (sub === undefined) await requireSession(parsed, { store, threadId, where }, io)
      const isOwn =
        sub !== undefined || !isThread(parsed.threadId ?? '') || parsed.threadId === threadId
      return archiveOf({ threads, store }, threadId).read(isOwn ? parsed.id : ref, offset, limit)
    },
  )
  await print(io, { ref, offset, ...page }, flags.json, ({ text, next }, style) => {
    const rest = next === undefined ? '' : `\n${style.dim(`[it goes on: --offset ${next}]`)}`
    return `${text}${rest}\n`
  })
}

/** A hook's ref names the session by the start of its agent's id. */
async function resolveSession(named: string | undefined, io: Io): Promise<string | undefined> {
  if (named === undefined || isThread(named)) return named
  const { chooseSession } = await import('../sessions/choose-sessions.ts')
  return chooseSession(named, {}, io)
}

/** The session a ref names must be the one read: its number means something else in another. */
async function requireSession(
  { threadId: named, id }: ParsedRef,
  {
    store,
    threadId,
    where,
  }: Pick<Composed, 'store'> & { readonly threadId: string; readonly where: string },
  io: Io,
): Promise<void> {
  if (named === undefined || isThread(named)) return
  const [row] = await store.read(threadId, { limit: 1 })
  const { file = where } = readImported(row && readRow(row).source)
  if ([where, await wholePath(where, io), file].some((path) => hasId(path, named))) return
  throw new PrecisError('usage', `${where} is not the session ${named}`, {
    where: '--in',
    hint: `Leave --in out, or read its own ${id}: ${programName(io)} show ${id} --in ${quoted(where)}.`,
  })
}

function noSubAgent(ref: string, count: number): PrecisError {
  return new PrecisError('unknown-entry', `There is no ${ref} in this session`, {
    where: ref,
    hint: `It has ${count} sub-agents. precis recall finds refs.`,
  })
}

/** Works on the thread or session file that `--in` names. */
async function onSession<T>(
  io: Io,
  flags: { readonly in: string; readonly format?: string },
  work: (composed: Composed, threadIds: readonly string[]) => Promise<T>,
): Promise<T> {
  const target = parseTarget(flags.in, 'recall', io)
  if (target.kind === 'thread')
    return withHome(io, async (home) => {
      await home.threads.context(target.threadId) // reports an unknown one
      return work(home, [target.threadId])
    })
  const { settings } = loadSettings(io)
  const progress = new ProgressLine(io.stderr)
  const session = await openSession(target, { settings, named: flags.format, progress }, io)
  try {
    return await work(session.composed, [session.threadId, ...session.subThreadIds])
  } finally {
    progress.end()
    await session.close()
  }
}

/** What a ref can name: summaries and reminders only repeat others. */
const KINDS: readonly SearchKind[] = ['user', 'agent', 'call', 'result']
/** Its results are in the archive already, and its query is not an answer. */
const RECALL = 'recall'

/** Searches all threads of a store through its index. */
export async function searchAll(
  composed: Composed,
  query: string,
  limit: number,
): Promise<RecallResult> {
  const { store } = composed
  if (!store.index)
    throw new PrecisError('usage', 'this store cannot be searched', {
      hint: 'Stores of SQLite, Postgres and memory can: precis store copies into one.',
    })
  const search = { text: tellingText(query), limit: LIMITS.finds, kinds: KINDS, withAnyWord: true }
  const found = await readEntries(store, (await store.index.search(search)).finds)
  const finds = await showFound(composed, found, query, limit)
  const threads = new Set(finds.map(({ ref }) => parseRef(ref)?.threadId)).size
  return { query, threads, finds: finds.map(withTime) }
}

/** Searches some threads and their origins by reading their logs. */
export async function searchIn(
  composed: Composed,
  threadIds: readonly string[],
  query: string,
  limit: number,
): Promise<RecallResult> {
  const options = { limit, seesContext: false }
  const { finds, further, matching } = await searchArchive(composed, threadIds, query, options)
  return { query, threads: threadIds.length, matching, finds: finds.map(withTime), further }
}

function withTime({ timestamp, ...find }: ArchiveFind): RecallResult['finds'][number] {
  return { ...find, at: timestamp.toISOString() }
}

/** Each entry once, even if several of an answer's calls match. */
async function readEntries(
  store: Composed['store'],
  finds: readonly SearchFind[],
): Promise<FoundEntry[]> {
  const found = new Map<string, FoundEntry>()
  for (const { threadId, seq, kind, tool } of finds) {
    if (tool === RECALL) continue
    const ref = originalId(kind === 'call' ? await readAnswer(store, threadId, seq) : seq)
    const key = refInThread(threadId, ref)
    const isResult = kind === 'result' && tool !== undefined
    if (!found.has(key)) found.set(key, { threadId, ref, ...(isResult && { tool }) })
  }
  return [...found.values()]
}

/** A call belongs to an answer and has no ref of its own. */
async function readAnswer(
  store: Composed['store'],
  threadId: string,
  seq: number,
): Promise<number> {
  const [row] = await store.read(threadId, { from: seq, to: seq })
  const event = row && readRow(row)
  return event?.type === 'TOOL_CALL' ? event.data.answer : seq
}

/** Prints the matches of a search. */
interface RecallResult {
  readonly query: string
  readonly threads: number // searched; or those with matches if all were searched
  /** Absent if all threads were searched: an index counts only what it returns. */
  readonly matching?: number
  readonly finds: readonly (Omit<ArchiveFind, 'timestamp'> & { readonly at: string })[]
  /** Absent if all threads were searched, as above. */
  readonly further?: ArchiveFinds['further']
}
