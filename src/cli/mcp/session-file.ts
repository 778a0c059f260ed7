// A session named by the id that its agent gave it: its thread, and what a ref of its file reads
import type { EntryId } from '../../core/edit/change.ts'
import { PrecisError } from '../../core/errors.ts'
import type { ArchivePage } from '../../core/search/archive.ts'
import type { Settings } from '../../core/settings/settings.ts'
import { archiveOf } from '../../threads/archive.ts'
import type { Io } from '../process-io.ts'
import { openSession } from '../session/session.ts'
import { FactsCache } from '../sessions/facts-cache.ts'
import type { FoundSession } from '../sessions/find-sessions.ts'
import { findSessions, sessionById } from '../sessions/find-sessions.ts'
import { selectSessions } from '../sessions/select-sessions.ts'
import { Marks } from '../sessions/sync-marks.ts'
import { ProgressLine } from '../terminal/progress.ts'

export interface SessionFiles {
  /** The thread that it was imported into. */
  threadOf(session: string): Promise<string>
  /** By the numbers that reading the file gives, which the refs of hooks have. */
  read(session: string, id: EntryId, offset: number, limit: number): Promise<ArchivePage>
}

export function sessionFiles(
  settings: Settings,
  { isProjectOnly }: { readonly isProjectOnly: boolean },
  io: Io,
): SessionFiles {
  const find = (session: string) => requireSession(session, settings, isProjectOnly, io)
  return {
    async threadOf(session) {
      const { path, id } = await find(session)
      const threadId = (await Marks.open(settings, io)).threadOf(path)
      if (threadId !== undefined) return threadId
      throw new PrecisError('not-found', `The session ${id} is not in the store yet`, {
        where: session,
        hint: 'Ask again in a moment, or run precis sync.',
      })
    },
    async read(session, id, offset, limit) {
      const { path } = await find(session)
      const options = { settings, progress: new ProgressLine(io.stderr) }
      const opened = await openSession({ kind: 'file', path }, options, io)
      try {
        return await archiveOf(opened.composed, opened.threadId).read(id, offset, limit)
      } finally {
        await opened.close()
      }
    },
  }
}

/** By the beginning of its id, among those that may be given out. A path names none. */
async function requireSession(
  session: string,
  settings: Settings,
  isProjectOnly: boolean,
  io: Io,
): Promise<FoundSession> {
  const all = isProjectOnly
    ? await ofProject(session, settings, io)
    : await findSessions(settings, io)
  const found = sessionById(session, all)
  if (found) return found
  throw new PrecisError('not-found', `Session ${session} not found`, {
    where: session,
    hint: 'The tool sessions lists those that can be read.',
  })
}

/** Only those whose id begins so: no other one is read. */
async function ofProject(id: string, settings: Settings, io: Io): Promise<readonly FoundSession[]> {
  const cache = await FactsCache.open(io)
  const found = await selectSessions([], { here: true, id }, { settings, cache }, io)
  await cache.save()
  return found
}
