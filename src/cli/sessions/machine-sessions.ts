// The sessions of this machine for a server: listed, opened, and followed while they have viewers.
import { createHash } from 'node:crypto'
import type { Composed } from '../../compose.ts'
import { PrecisError } from '../../core/errors.ts'
import { readRow } from '../../core/log/codec.ts'
import type { Settings } from '../../core/settings/settings.ts'
import { SESSION_FORMATS } from '../../formats/index.ts'
import type { FileState, FoundSessions, MachineSessions } from '../../server/ports.ts'
import type { Io } from '../process-io.ts'
import { readImported } from '../session/replace-unchanged.ts'
import { wholePath } from '../threads/import-file.ts'
import { FileFollowers } from './file-followers.ts'
import type { FoundSession } from './find-sessions.ts'
import { findSessions } from './find-sessions.ts'
import { importGrown } from './import-grown.ts'
import { FactsCache, readFacts, type SessionFacts } from './session-facts.ts'
import { Marks } from './sync-marks.ts'

/** Time one listing spends reading starts of sessions; the next one continues. */
const LOOK_MS = 1_500
/** Threads whose files are remembered. */
const MOST_KNOWN = 1_000

export class SessionsOfMachine implements MachineSessions {
  readonly #home: Composed
  readonly #settings: Settings
  readonly #io: Io
  readonly #followers: FileFollowers
  readonly #files = new Map<string, Promise<FoundSession | undefined>>()
  readonly #noSessions = new Set<string>() // keyed by path and size
  #cache: Promise<FactsCache> | undefined

  constructor(home: Composed, settings: Settings, io: Io) {
    this.#home = home
    this.#settings = settings
    this.#io = io
    this.#followers = new FileFollowers({
      clock: home.clock,
      fileOf: (threadId) => this.#fileOf(threadId),
      add: (session, into, signal) => importGrown(session, { home, settings, into, signal }, io),
    })
  }

  async list({
    search = '',
    limit,
  }: Parameters<MachineSessions['list']>[0]): Promise<FoundSessions> {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean)
    this.#cache ??= FactsCache.open(this.#io)
    const [cache, marks] = [await this.#cache, await Marks.open(this.#settings, this.#io)]
    const found = await findSessions(this.#settings, this.#io)
    const untilMs = performance.now() + LOOK_MS
    const shown: Promise<FoundSessions['items'][number]>[] = []
    let [total, isPartial] = [0, false]
    for (const session of found) {
      if (this.#noSessions.has(sizedPath(session))) continue
      const known = cache.facts(session)
      const isWanted = shown.length < limit
      // Searches beyond the limit, too: the total counts all matches.
      const isRead = !known && (isWanted || words.length > 0)
      if (isRead && performance.now() > untilMs) isPartial = true
      const facts = isRead && !isPartial ? await this.#read(session, cache) : known
      if (facts?.isSubAgent) continue
      const isFound = facts && words.every((word) => listWords(session, facts).includes(word))
      // Without search words, an unread file counts as a session.
      if (isFound ?? (words.length === 0 && !this.#noSessions.has(sizedPath(session)))) total += 1
      if (isFound && isWanted)
        shown.push(this.#listed(session, facts, marks.threadOf(session.path)))
    }
    await cache.save()
    const items = await Promise.all(shown)
    return { items, total, ...(isPartial && { isPartial }) }
  }

  async open(id: string): Promise<string> {
    const found = await findSessions(this.#settings, this.#io)
    const session = found.find((each) => readId(each) === id)
    if (!session) throw noSession(id)
    const { threadId } = await importGrown(
      session,
      { home: this.#home, settings: this.#settings },
      this.#io,
    )
    this.#know(threadId, Promise.resolve(session))
    return threadId
  }

  follow(threadId: string): () => void {
    return this.#followers.join(threadId)
  }

  async stateOf(threadId: string): Promise<FileState | undefined> {
    const session = await this.#fileOf(threadId)
    if (!session) return undefined
    const state = this.#followers.stateOf(threadId)
    return state && { agent: session.agent ?? '', state }
  }

  async close(): Promise<void> {
    await this.#followers.close()
  }

  async #read(session: FoundSession, cache: FactsCache): Promise<SessionFacts | undefined> {
    const facts = await readFacts(session, SESSION_FORMATS, this.#io)
    if (facts) cache.set(session, facts)
    else this.#noSessions.add(sizedPath(session))
    return facts
  }

  async #listed(session: FoundSession, facts: SessionFacts, threadId: string | undefined) {
    const isThere = threadId !== undefined && (await this.#home.store.info(threadId)) !== undefined
    return {
      id: readId(session),
      agent: facts.format,
      ...(facts.project !== undefined && { project: facts.project }),
      ...(facts.title !== undefined && { title: facts.title }),
      bytes: session.bytes,
      updatedAt: new Date(session.updatedMs),
      ...(isThere && { threadId }),
    }
  }

  #fileOf(threadId: string): Promise<FoundSession | undefined> {
    const known = this.#files.get(threadId)
    return known ?? this.#know(threadId, this.#findFile(threadId))
  }

  #know(threadId: string, file: Promise<FoundSession | undefined>) {
    this.#files.set(threadId, file)
    const [oldest] = this.#files.keys()
    if (this.#files.size > MOST_KNOWN && oldest !== undefined) this.#files.delete(oldest)
    file.catch(() => this.#files.delete(threadId)) // the caller gets the error
    return file
  }

  /** Only a file in an agent's own folder; a fork is a different conversation. */
  async #findFile(threadId: string): Promise<FoundSession | undefined> {
    const { store } = this.#home
    const [row] = await store.read(threadId, { limit: 1 })
    const { file } = readImported(row && readRow(row).source)
    if (file === undefined || (await store.info(threadId))?.parent) return undefined
    for (const session of await findSessions(this.#settings, this.#io))
      if ((await wholePath(session.path, this.#io)) === file) return session
    return undefined
  }
}

function listWords(
  { id }: FoundSession,
  { format, project = '', title = '' }: SessionFacts,
): string {
  return `${format} ${project} ${title} ${id}`.toLowerCase()
}

function sizedPath({ bytes, path }: FoundSession): string {
  return `${bytes} ${path}`
}

/** Stable, and reveals nothing of the path. */
function readId({ path }: FoundSession): string {
  return createHash('sha256').update(path).digest('base64url').slice(0, 22)
}

function noSession(id: string): PrecisError {
  return new PrecisError('not-found', `There is no session ${id.slice(0, 100)} on this machine.`, {
    where: 'id',
    hint: 'GET /api/machine/sessions lists them.',
  })
}
