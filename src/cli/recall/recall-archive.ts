// Everything that was ever said, found by words or read by a ref: in the store's threads, or in one session.
import type { Composed } from '../../compose.ts'
import { PrecisError } from '../../core/errors.ts'
import { parseRef } from '../../core/search/archive.ts'
import { archiveOf } from '../../threads/archive.ts'
import type { Io } from '../process-io.ts'
import { programName } from '../program-name.ts'
import { openSession } from '../session/session.ts'
import { targetOf } from '../session/target.ts'
import { loadSettings } from '../settings/settings.ts'
import { wholeNumber } from '../terminal/numbers.ts'
import { tell } from '../terminal/print.ts'
import { ProgressLine } from '../terminal/progress.ts'
import { quoted } from '../terminal/shell-quote.ts'
import { oneLine } from '../terminal/terminal.ts'
import { withHome } from '../threads/with-home.ts'
import { searchAll, searchIn } from './recall-all.ts'

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
    throw new PrecisError('usage', 'there is nothing to look for', { hint: 'Give it some words.' })
  const limit = wholeNumber(flags.limit, '--limit', 1, MOST_FINDS)
  const where = flags.in
  const recalled =
    where === undefined
      ? await withHome(io, (home) => searchAll(home, query, limit))
      : await onSession(io, { ...flags, in: where }, (composed, threadIds) =>
          searchIn(composed, threadIds, query, limit),
        )
  await tell(io, recalled, flags.json, ({ finds, matching, threads }, style, columns) => {
    if (finds.length === 0)
      return `Nothing was found for “${oneLine(query, 60)}”. Try other words.\n`
    const places = threads === 1 ? 'one thread' : `${threads} threads`
    const show = `${programName(io)} show REF${where === undefined ? '' : ` --in ${quoted(where)}`}`
    const heading = `${finds.length} of ${matching} found in ${places}, best first; ${show} reads one in full.`
    const lines = finds.map(
      ({ ref, speaker, at, snippet }) =>
        `${style.bold(ref)} ${style.dim(`${speaker}, ${at.slice(0, 16).replace('T', ' ')}`)}\n  ${oneLine(snippet, 2 * columns)}`,
    )
    return `${[heading, ...lines].join('\n')}\n`
  })
}

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
  const where = flags.in ?? parsed.threadId
  if (where === undefined)
    throw new PrecisError('usage', `it is not said whose ${ref} is meant`, {
      where: given,
      hint: `Say --in FILE or --in thr_…, or name the thread in the ref: thr_…:${ref}.`,
    })
  const offset = wholeNumber(flags.offset, '--offset', 0, Number.MAX_SAFE_INTEGER)
  const limit = wholeNumber(flags.limit, '--limit', 1, MOST_CHARS)
  const page = await onSession(
    io,
    { ...flags, in: where },
    async ({ threads, store }, [threadId = '']) => {
      const own = parsed.threadId === threadId ? parsed.id : ref
      return archiveOf({ threads, store }, threadId).read(own, offset, limit)
    },
  )
  await tell(io, { ref, offset, ...page }, flags.json, ({ text, next }, style) => {
    const rest = next === undefined ? '' : `\n${style.dim(`[it goes on: --offset ${next}]`)}`
    return `${text}${rest}\n`
  })
}

/** On the thread or the session file that `--in` names. */
async function onSession<T>(
  io: Io,
  flags: { readonly in: string; readonly format?: string },
  work: (composed: Composed, threadIds: readonly string[]) => Promise<T>,
): Promise<T> {
  const target = targetOf(flags.in, 'recall', io)
  if (target.kind === 'thread')
    return withHome(io, async (home) => {
      await home.threads.context(target.threadId) // an unknown one is said
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
