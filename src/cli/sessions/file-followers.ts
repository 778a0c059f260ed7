// Threads that follow their session files while they have subscribers.
import { stat } from 'node:fs/promises'
import { asPrecisError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import { databaseSession } from '../session/opencode-database.ts'
import type { FoundSession } from './find-sessions.ts'
import { listDatabase } from './find-sessions.ts'

/** Interval between looks at a file. */
const LOOK_MS = 700
/** After a long import, wait this many times as long before the next. */
const REST_TIMES = 3
/** Files followed at once; others are shown as they are. */
const MOST_FOLLOWED = 32

export interface FollowerPorts {
  readonly clock: Clock
  fileOf(threadId: string): Promise<FoundSession | undefined>
  /** Rejects with `id-conflict` if the file is another conversation by now. */
  add(session: FoundSession, threadId: string, signal: AbortSignal): Promise<unknown>
}

interface Follow {
  lookers: number
  isParted: boolean
  isRunning: boolean
  readonly stop: AbortController
  ended: Promise<void>
}

export class FileFollowers {
  readonly #ports: FollowerPorts
  readonly #followed = new Map<string, Follow>()

  constructor(ports: FollowerPorts) {
    this.#ports = ports
  }

  /** Follows until the returned function is called. */
  join(threadId: string): () => void {
    const followed = this.#followed.get(threadId) ?? this.#begin(threadId)
    followed.lookers += 1
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      followed.lookers -= 1
      if (followed.lookers > 0) return
      followed.stop.abort()
      if (this.#followed.get(threadId) === followed) this.#followed.delete(threadId)
    }
  }

  /** `followed`: updates will appear. Undefined if too many are followed, or it failed. */
  stateOf(threadId: string): 'followed' | 'parted' | undefined {
    const followed = this.#followed.get(threadId)
    if (followed?.isParted) return 'parted'
    return (followed ? followed.isRunning : this.#hasRoom()) ? 'followed' : undefined
  }

  async close(): Promise<void> {
    const all = [...this.#followed.values()]
    for (const { stop } of all) stop.abort()
    this.#followed.clear()
    await Promise.all(all.map(({ ended }) => ended))
  }

  #hasRoom(): boolean {
    const running = [...this.#followed.values()].filter(({ isRunning }) => isRunning)
    return running.length < MOST_FOLLOWED
  }

  #begin(threadId: string): Follow {
    const followed: Follow = {
      lookers: 0,
      isParted: false,
      isRunning: this.#hasRoom(),
      stop: new AbortController(),
      ended: Promise.resolve(),
    }
    this.#followed.set(threadId, followed)
    if (!followed.isRunning) return followed
    const end = () => {
      followed.isRunning = false
    }
    // Every request that needs the store reports its failure.
    followed.ended = this.#run(threadId, followed).then(end, end)
    return followed
  }

  async #run(threadId: string, followed: Follow): Promise<void> {
    const { clock, fileOf, add } = this.#ports
    const { signal } = followed.stop
    const file = await fileOf(threadId)
    let seen: FoundSession | undefined
    while (file && !signal.aborted && !followed.isParted) {
      const now = await lookAt(file)
      let tookMs = 0
      if (now && (now.bytes !== seen?.bytes || now.updatedMs !== seen.updatedMs)) {
        const beganMs = performance.now()
        const outcome = await add(now, threadId, signal).then(() => undefined, asPrecisError)
        tookMs = performance.now() - beganMs
        followed.isParted = outcome?.code === 'id-conflict'
        // After a conflict with another writer, retry. Retry an unreadable file when it changes.
        if (outcome?.code !== 'version-conflict' && !outcome?.retryable) seen = now
      }
      await clock.sleep(Math.max(LOOK_MS, REST_TIMES * tookMs), signal)
    }
  }
}

/** Its current state; undefined if it is gone. */
async function lookAt(session: FoundSession): Promise<FoundSession | undefined> {
  const database = databaseSession(session.path, '/')
  if (database) {
    const all = await listDatabase(database, session.agent ?? 'opencode').catch(() => [])
    return all.find(({ path }) => path === session.path)
  }
  const stats = await stat(session.path).catch(() => undefined)
  if (!stats) return undefined
  return { ...session, bytes: stats.size, updatedMs: Math.floor(stats.mtimeMs) }
}
