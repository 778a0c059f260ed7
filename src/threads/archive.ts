// The archive of a thread: the text of a ref, and a search in the whole log.
import { PrecisError } from '../core/errors.ts'
import type { ThreadEvent } from '../core/log/event.ts'
import { type Archive, type ArchivePage, type ParsedRef, parseRef } from '../core/search/archive.ts'
import { parseEntryId } from '../core/view/entry.ts'
import { cutHead } from '../core/window/tokens/cut.ts'
import { listPastThreads } from './past-threads.ts'
import { unknownRef } from './reverse-thread.ts'
import { findCalls, type SearchPorts, searchArchive } from './search-archive.ts'
import { renderEvent } from './search-thread.ts'
import type { Threads } from './threads.ts'

export interface ArchivePorts extends SearchPorts {
  readonly threads: Pick<Threads, 'originals' | 'context' | 'messages'>
}

/** Originals read at first; each further read takes four times as many. */
const FIRST_ORIGINALS = 64

export function archiveOf(ports: ArchivePorts, threadId: string): Archive {
  const { threads, store } = ports
  return {
    async read(ref, offset, limit) {
      const { id, threadId: owner } = await findOwner(store, threadId, ref)
      const wanted = offset + limit
      for (let most = FIRST_ORIGINALS; ; most *= 4) {
        const events = await threads.originals(owner, id, most)
        const text = await renderUpTo(store, owner, events, wanted)
        if (text.length > wanted) return buildPage(text, offset, limit)
        if (events.length < most) return buildPage(text, requireOffset(ref, offset, text), limit)
      }
    },
    search: (query, limit) => searchArchive(ports, [threadId], query, { limit, seesContext: true }),
  }
}

/** Only this thread's origins are readable here, up to the point where it came from them. */
async function findOwner(
  store: ArchivePorts['store'],
  threadId: string,
  ref: string,
): Promise<Required<ParsedRef>> {
  const parsed = parseRef(ref)
  if (!parsed) throw notARef(ref)
  const { id, threadId: named = threadId } = parsed
  if (named === threadId) return { id, threadId }
  for await (const past of listPastThreads(store, threadId))
    if (past.threadId === named && parseEntryId(id).seq <= past.upTo) return { id, threadId: named }
  throw new PrecisError(
    'unknown-entry',
    `There is no ${ref} in the threads that this thread came from.`,
    {
      where: ref,
      hint: 'Search for words, and take the ref of a find as it is.',
    },
  )
}

/** The events as text until there is more than `wanted`. */
async function renderUpTo(
  store: ArchivePorts['store'],
  threadId: string,
  events: readonly ThreadEvent[],
  wanted: number,
): Promise<string> {
  const calls = await findCalls(store, threadId, events)
  let text = ''
  for (const event of events) {
    if (text.length > wanted) break
    const piece = renderEvent(event, calls.get(event.seq) ?? [])
    text += text === '' ? piece : SEPARATOR + piece
  }
  return text
}

const SEPARATOR = '\n\n'

function buildPage(text: string, offset: number, limit: number): ArchivePage {
  const start = isLowSurrogate(text, offset) ? offset - 1 : offset
  const rest = text.slice(start)
  // Advance by at least one character, or reading would never end.
  const piece = cutHead(rest, limit) || String.fromCodePoint(rest.codePointAt(0) ?? 0)
  const next = start + piece.length
  return next < text.length ? { text: piece, next } : { text: piece }
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return at > 0 && unit >= 0xdc00 && unit <= 0xdfff
}

function requireOffset(ref: string, offset: number, { length }: string): number {
  if (offset < length) return offset
  if (length === 0) throw unknownRef(ref)
  throw new PrecisError('invalid-input', `${ref} has ${length} characters.`, {
    where: 'offset',
    hint: `Give an offset below ${length}.`,
  })
}

function notARef(ref: string): PrecisError {
  return new PrecisError('unknown-entry', `${ref} is not a ref.`, {
    where: ref,
    hint: 'A ref looks like e12 or c40.0, or thr_7:e12 in an earlier thread. Without a ref, search for words.',
  })
}
