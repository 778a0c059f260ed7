// Imports one session file into the store: as a new thread, or adds what is new to its thread.
import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Composed } from '../../compose.ts'
import { PrecisError } from '../../core/errors.ts'
import type { Json } from '../../core/text/json.ts'
import { weightOf } from '../../core/view/context.ts'
import type { Source } from '../../formats/session-format.ts'
import type { Io } from '../process-io.ts'
import { digestOfSource } from '../session/backups.ts'
import { openInput } from '../session/input.ts'
import { type ReadSession, readSession } from '../session/read-session.ts'
import {
  type EarlierImport,
  type EarlierImports,
  importedFrom,
} from '../session/replace-unchanged.ts'
import { readFacts } from '../sessions/session-facts.ts'
import type { ProgressLine } from '../terminal/progress.ts'

/**
 * `known`: the same records exist. `continued`: completed an interrupted import. `grown`: added only its new
 * end. `shortened`: the thread has more than the file. `rewritten`: the file is a different conversation by
 * now, and a new thread names the old one.
 */
export type ImportOutcome = 'new' | 'known' | 'continued' | 'grown' | 'shortened' | 'rewritten'

export interface Imported {
  readonly file: string
  readonly threadId: string
  readonly outcome: ImportOutcome
  readonly events: number
  readonly added: number // of these events
  readonly tokens: number
  /** The thread with the content of the file, now or earlier. */
  readonly earlier?: EarlierImport
  /** Its last answer waits for results and is left for the next time. */
  readonly isHeld?: boolean
  /** Absent if nothing was read. */
  readonly read?: ImportAccount
}

export interface ImportAccount {
  readonly format: string
  readonly subThreads: readonly string[]
  readonly compactions: number
  readonly records: {
    readonly all: number
    readonly modelled: number
    readonly kept: Readonly<Record<string, number>>
    readonly ignored: Readonly<Record<string, number>>
  }
  readonly problems: readonly string[]
}

export interface ImportWish {
  readonly format?: string | undefined
  readonly title?: string | undefined
  readonly records: 'keep' | 'drop'
  readonly progress: ProgressLine
  /** The part to read of a file that an agent still writes. */
  readonly source?: Source
  readonly openAnswer?: 'keep' | 'hold'
  /** What to do if the file is no longer its thread's conversation: a new thread, or an error. */
  readonly rewritten?: 'import' | 'refuse'
}

export async function importFile(
  home: Composed,
  file: string,
  wish: ImportWish,
  known: EarlierImports,
  io: Io,
): Promise<Imported> {
  const source = wish.source ?? (await openInput(file, io))
  const digest = await digestOfSource(source)
  const path = file === '-' ? undefined : await wholePath(file, io)
  const same = known.byDigest.get(digest)
  const earlier = same ?? (path === undefined ? undefined : known.byFile.get(path))
  if (same && !same.isPartial) return { ...(await readState(home, file, same)), outcome: 'known' }
  const before = earlier && (await home.store.info(earlier.threadId))?.version
  const now = home.clock.now()
  const from = {
    ...importedFrom(digest, now),
    ...(path !== undefined && {
      file: path,
      ...(await readSessionFacts(path, source.bytes ?? 0, home, io)),
    }),
  }
  const { format: named, title, records, progress, openAnswer } = wish
  const options = {
    named,
    records,
    progress,
    ...(title !== undefined && { title }),
    ...(openAnswer && { openAnswer }),
  }
  const start = async (more: { readonly [key: string]: Json } = {}) =>
    readSession(home, source, file, { ...options, source: { ...from, ...more } })
  const continued = earlier
    ? await goOn(home, source, file, {
        ...options,
        source: from,
        earlier: { ...home, threadId: earlier.threadId },
      })
    : undefined
  if (earlier && !continued && wish.rewritten === 'refuse') throw isAnother(file, earlier.threadId)
  const isRewritten = earlier && !continued && !earlier.isPartial
  const read = continued ?? (await start(isRewritten ? { replaces: earlier.threadId } : {}))
  const { threadId } = read
  const latest = { threadId, at: from.at, isPartial: false }
  known.byDigest.set(digest, latest)
  if (path !== undefined) known.byFile.set(path, latest)
  const state = await readState(home, file, earlier, threadId)
  const added = state.events - (continued ? (before ?? 0) : 0)
  const outcome = nameOutcome(earlier, continued !== undefined)
  return {
    ...state,
    added,
    // Nothing was added: the file is shorter, or its new part is empty or held back.
    outcome: outcome !== 'grown' || added > 0 ? outcome : read.isShortened ? 'shortened' : 'known',
    ...(read.isHeld && { isHeld: true }),
    read: buildAccount(read),
  }
}

function nameOutcome(earlier: EarlierImport | undefined, isContinued: boolean): ImportOutcome {
  if (!earlier) return 'new'
  if (isContinued) return earlier.isPartial ? 'continued' : 'grown'
  return earlier.isPartial ? 'new' : 'rewritten'
}

function isAnother(file: string, threadId: string): PrecisError {
  return new PrecisError(
    'id-conflict',
    `${file} no longer contains the conversation of ${threadId}.`,
    {
      where: file,
      hint: 'Import it as a new thread.',
    },
  )
}

/** A database session keeps its id after the path. */
export async function wholePath(file: string, { cwd }: Pick<Io, 'cwd'>): Promise<string> {
  const [, path = file, id = ''] = /^(.*?)(#ses_\w+)?$/.exec(file) ?? []
  return `${await realpath(resolve(cwd, path)).catch(() => resolve(cwd, path))}${id}`
}

async function readSessionFacts(path: string, bytes: number, { formats }: Composed, io: Io) {
  const session = { path, id: '', bytes, updatedMs: 0 }
  const { format, project } = (await readFacts(session, formats, io)) ?? {}
  return {
    ...(format !== undefined && { agent: format }),
    ...(project !== undefined && { project }),
  }
}

/** Undefined if the thread diverged: other options, or someone worked on it. */
async function goOn(...given: Parameters<typeof readSession>): Promise<ReadSession | undefined> {
  try {
    return await readSession(...given)
  } catch (thrown) {
    if (PrecisError.is(thrown) && thrown.code === 'id-conflict') return undefined
    throw thrown
  }
}

async function readState(
  { threads }: Composed,
  file: string,
  earlier: EarlierImport | undefined,
  threadId = earlier?.threadId ?? '',
): Promise<Omit<Imported, 'outcome'>> {
  const context = await threads.context(threadId)
  const { version: events } = context
  return {
    file,
    threadId,
    events,
    added: 0,
    tokens: weightOf(context),
    ...(earlier && { earlier }),
  }
}

function buildAccount({ subThreadIds, compactions, format, notes }: ReadSession): ImportAccount {
  const { records, modelled, kept, ignored } = notes.account
  return {
    format: format.id,
    subThreads: subThreadIds,
    compactions,
    records: {
      all: records,
      modelled,
      kept: Object.fromEntries(kept),
      ignored: Object.fromEntries(ignored),
    },
    problems: notes.problems,
  }
}
