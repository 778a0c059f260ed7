// What was done to the copy of a thread, done to the thread itself, unless it has changed meanwhile.
import { PrecisError } from '../../core/errors.ts'
import type { PreparedCompaction } from '../../threads/compact-thread.ts'
import { openHome } from '../home.ts'
import type { Io } from '../process-io.ts'
import { type CompactionPlan, commit } from './compact-session.ts'
import { startFresh } from './fresh-session.ts'
import { pinWishes } from './wishes.ts'

/** The thread that has the result: the same, or the one that a fresh session began. */
export async function applyToThread(
  threadId: string,
  version: number,
  { settings, wishes }: CompactionPlan,
  prepared: PreparedCompaction,
  io: Io,
): Promise<string> {
  const home = await openHome(settings, io)
  try {
    const now = await home.threads.context(threadId)
    if (now.version !== version)
      throw new PrecisError('version-conflict', `${threadId} has changed meanwhile`, {
        where: threadId,
        hint: 'Nothing was changed. Try again.',
      })
    if (prepared.proposal.fresh) return (await startFresh(home, threadId, prepared)).threadId
    await pinWishes(home, threadId, wishes)
    await commit(home, threadId, prepared)
    return threadId
  } finally {
    await home.close()
  }
}
