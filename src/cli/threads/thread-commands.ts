// `precis threads`, `fork`, `undo`, `redo` and `pins`: list, delete and change stored threads.

import type { Composed } from '../../compose.ts'
import { PrecisError } from '../../core/errors.ts'
import { readRow } from '../../core/log/codec.ts'
import type { Store, ThreadInfo } from '../../core/ports.ts'
import { escapeSteering, printableJson } from '../../core/text/visible.ts'
import { weightOf } from '../../core/view/context.ts'
import { RESERVED_PREFIX } from '../../server/accounts/owners.ts'
import { buildSummary } from '../../server/views/thread-summary.ts'
import type { Io } from '../process-io.ts'
import { asTyped, programName } from '../program-name.ts'
import { redoReplacement, undoReplacement } from '../session/backups.ts'
import { parseTarget, threadTarget } from '../session/formats.ts'
import { findProject, readImported } from '../session/replace-unchanged.ts'
import { formatOfLog } from '../session/session.ts'
import { wholeNumber } from '../terminal/arguments.ts'
import { writeStream } from '../terminal/io.ts'
import { buildStyle, counted, oneLine, padColumns, print, thousands } from '../terminal/terminal.ts'
import { withHome } from './home.ts'

export async function forkThread(
  given: string,
  flags: { readonly at?: string; readonly json?: boolean },
  io: Io,
): Promise<void> {
  const threadId = threadTarget(given, 'precis import takes a file into the store.')
  const at =
    flags.at === undefined ? undefined : wholeNumber(flags.at, '--at', 1, Number.MAX_SAFE_INTEGER)
  const forkId = await withHome(io, async ({ threads }) => {
    const { version } = await threads.context(threadId)
    if (at !== undefined && at > version)
      throw new PrecisError('usage', `${threadId} has ${version} events`, {
        where: '--at',
        hint: `Give a number up to ${version}.`,
      })
    return threads.fork(threadId, at)
  })
  await print(
    io,
    { threadId: forkId, from: threadId, ...(at !== undefined && { at }) },
    flags.json,
    (told) => {
      return `${told.threadId}\n`
    },
  )
}

type Way = 'undo' | 'redo'

/** For a thread its last compaction; for a file the last `precis compact --in-place`. */
export async function reverseChange(
  way: Way,
  given: string,
  flags: { readonly json?: boolean },
  io: Io,
): Promise<void> {
  const target = parseTarget(given, way, io)
  if (target.kind === 'file') {
    const reverse = way === 'undo' ? undoReplacement : redoReplacement
    const { path, what, at } = await reverse(target.path, io)
    const shown = escapeSteering(target.path)
    await print(io, { file: path, what, at }, flags.json, (told) =>
      way === 'undo'
        ? `${shown} is restored: it was ${told.what}.\n`
        : `${shown} is again ${told.what}.\n`,
    )
    return
  }
  const { threadId } = target
  const told = await withHome(io, async ({ threads }) => {
    const before = await threads.context(threadId)
    const event = await threads[way](threadId)
    const after = await threads.context(threadId)
    const of = 'of' in (event.data as object) ? (event.data as { of: number }).of : null
    const left = way === 'undo' ? after.stack.length : after.undone.length
    return { threadId, seq: event.seq, of, before: weightOf(before), after: weightOf(after), left }
  })
  await print(io, told, flags.json, ({ of, before, after, left }) => {
    const done = way === 'undo' ? 'was undone' : 'is applied again'
    const more = left === 0 ? `Nothing is left to ${way}.` : `${left} more to ${way}.`
    return `The compaction of event ${of} ${done}: ${thousands(before)} → ${thousands(after)} tokens. ${more}\n`
  })
}

export interface PinsFlags {
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
  readonly json?: boolean
}

export async function changePins(given: string, flags: PinsFlags, io: Io): Promise<void> {
  const threadId = threadTarget(
    given,
    'For a file: precis compact FILE --pin TEXT, or precis import it first.',
  )
  const pins = await withHome(io, async ({ threads }) => {
    for (const text of flags.add ?? []) await threads.pin(threadId, { text, by: 'user' })
    for (const pinId of flags.remove ?? []) await threads.unpin(threadId, pinId)
    return threads.pins(threadId)
  })
  await print(io, pins, flags.json, (list, style, columns) => {
    if (list.length === 0)
      return 'Nothing is pinned. --add TEXT keeps a text through every compaction.\n'
    return list
      .map(({ pinId, text, entries = [], by = 'user' }) => {
        const what = text ?? `entries ${entries.join(', ')}`
        return `${padColumns(style.bold(pinId), 36)} ${oneLine(what, columns - 50)} ${style.dim(by)}\n`
      })
      .join('')
  })
}

export interface ThreadsFlags {
  readonly limit: string
  readonly json?: boolean
}

export async function listThreads(flags: ThreadsFlags, io: Io): Promise<void> {
  const limit = wholeNumber(flags.limit, '--limit', 1, 1_000)
  await withHome(io, async (home) => {
    const listed: ThreadRow[] = []
    for (const info of await readConversations(home.store, limit))
      listed.push(await readEntry(home, info))
    await writeStream(io.stdout, flags.json ? `${printableJson(listed)}\n` : buildTable(listed, io))
  })
}

/** The newest conversations, without threads that servers use internally. */
export async function readConversations(store: Store, limit: number): Promise<ThreadInfo[]> {
  const found: ThreadInfo[] = []
  let after: string | undefined
  do {
    const { items, next } = await store.list({ limit, ...(after !== undefined && { after }) })
    found.push(...items.filter(({ threadId }) => !threadId.startsWith(RESERVED_PREFIX)))
    after = next
  } while (after !== undefined && found.length < limit)
  return found.slice(0, limit)
}

interface ThreadRow {
  readonly threadId: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly agent: string
  readonly project?: string
  readonly events: number
  readonly tokens: number // in the context
  readonly title: string
  readonly parent?: string
  /** The thread of the same session before its agent rewrote it. */
  readonly replaces?: string
  readonly isPartial?: true
}

/** An imported thread's first event describes its file; its folder is in one of the first. */
const OPENING_EVENTS = 20
const OWN_AGENT = 'precis'

async function readEntry(
  { store, threads, formats }: Composed,
  info: ThreadInfo,
): Promise<ThreadRow> {
  const { threadId, createdAt, updatedAt, version, parent } = info
  const { title, isPartial } = await buildSummary(store, info)
  const opening = (await store.read(threadId, { limit: OPENING_EVENTS })).map(readRow)
  const from = readImported(opening[0]?.source)
  const project = findProject(opening)
  return {
    threadId,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    agent: from.agent ?? formatOfLog(opening, formats)?.id ?? OWN_AGENT,
    ...(project !== undefined && { project }),
    events: version,
    tokens: weightOf(await threads.context(threadId)),
    title,
    ...(isPartial && { isPartial }),
    ...(from.replaces !== undefined && { replaces: from.replaces }),
    ...(parent && { parent: parent.threadId }),
  }
}

const DEFAULT_COLUMNS = 100
const MOST_PROJECT_COLUMNS = 20
/** A narrower column would be useless, so the line ends before it. */
const LEAST_COLUMNS = 8

function buildTable(listed: readonly ThreadRow[], io: Io): string {
  if (listed.length === 0)
    return asTyped(
      'No threads yet. `precis sync` imports the sessions on this machine.\n',
      programName(io),
    )
  const { isTTY, columns: own } = io.stdout
  const columns = (isTTY && own) || DEFAULT_COLUMNS
  const style = buildStyle(io.stdout, io.environment)
  const { rows, widths, room } = factsWithin(listed, columns)
  const place = Math.min(MOST_PROJECT_COLUMNS, Math.floor(room / 3))
  return listed
    .map(({ title: named, isPartial, replaces, project = '' }, at) => {
      const marks = `${isPartial ? '(partial import) ' : ''}${replaces ? '(rewritten) ' : ''}`
      const folder = oneLine(project.split(/[/\\]/).filter(Boolean).at(-1) ?? project, place)
      const [id = '', ...facts] = rows[at] ?? []
      const line = facts.map((fact, index) =>
        index < 2
          ? padColumns(fact, widths[index + 1] ?? 0)
          : fact.padStart(widths[index + 1] ?? 0),
      )
      const words =
        room - place < LEAST_COLUMNS
          ? ''
          : ` ${place < LEAST_COLUMNS ? '' : `${padColumns(folder, place)} `}${style.dim(oneLine(`${marks}${named}`, room - (place < LEAST_COLUMNS ? 0 : place) - 2))}`
      return `${style.bold(padColumns(id, widths[0] ?? 0))} ${line.join(' ')}${words}`.trimEnd()
    })
    .join('\n')
    .concat('\n')
}

/** Minimum width of a title; facts without room are omitted, `--json` has them. */
const TITLE_COLUMNS = 20
const FACTS: readonly ((each: ThreadRow) => readonly string[])[] = [
  (each) => [...dated(each, 16), counted(each.events, 'event'), printTokens(each)],
  (each) => [...dated(each, 16), printTokens(each)],
  (each) => [...dated(each, 10), printTokens(each)],
  (each) => dated(each, 10),
  () => [],
]

function dated({ agent, updatedAt }: ThreadRow, chars: number): readonly string[] {
  return [agent, updatedAt.slice(0, chars).replace('T', ' ')]
}

function printTokens({ tokens }: ThreadRow): string {
  return `${thousands(tokens)} tokens`
}

function factsWithin(listed: readonly ThreadRow[], columns: number) {
  const tables = FACTS.map((facts) => {
    const rows = listed.map((each) => [each.threadId, ...facts(each)])
    const widths = (rows[0] ?? []).map((_, at) =>
      Math.max(...rows.map((row) => row[at]?.length ?? 0)),
    )
    return { rows, widths, room: columns - widths.reduce((sum, width) => sum + width + 1, 0) }
  })
  return tables.find(({ room }) => room >= TITLE_COLUMNS) ?? tables.at(-1) ?? EMPTY
}

const EMPTY: { rows: string[][]; widths: number[]; room: number } = {
  rows: [],
  widths: [],
  room: 0,
}

/** Its forks keep their past, and its source file stays. */
export async function removeThreads(
  given: readonly string[],
  flags: { readonly json?: boolean },
  io: Io,
): Promise<void> {
  const ids = given.map((name) => threadTarget(name, 'précis deletes no session files.'))
  const removed = await withHome(io, async ({ store, threads }) => {
    for (const threadId of ids)
      if (!(await store.info(threadId)))
        throw new PrecisError('unknown-thread', `Thread ${threadId} not found`, { where: threadId })
    for (const threadId of ids) await threads.delete(threadId)
    return ids
  })
  await print(io, { removed }, flags.json, (told) =>
    told.removed.map((threadId) => `${threadId} was removed.\n`).join(''),
  )
}
