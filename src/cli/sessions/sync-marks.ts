// The state of each session at its last import into a store, so unchanged ones are not read again.
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Settings } from '../../core/settings/settings.ts'
import { stateFolderPath } from '../../hosts/platform-folders.ts'
import { computeSha256 } from '../../stores/rows/sha256.ts'
import type { Io } from '../process-io.ts'
import { STORE_FILE, type Surroundings, stateFolder } from '../settings/places.ts'
import { writeText } from '../terminal/io.ts'
import type { FoundSession } from './find-sessions.ts'

function marksFile(address: string, io: Surroundings): string {
  const name = computeSha256(address).slice(0, 12)
  return join(stateFolderPath(io), `synced-${name}.json`)
}

/** Another store has none of the threads. */
async function storeIdentity(address: string, io: Surroundings): Promise<string> {
  return address === 'sqlite' ? readIdentity(join(stateFolderPath(io), STORE_FILE)) : address
}

/** A deleted and recreated file is another one. */
async function readIdentity(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined)
  return found ? `${found.dev}-${found.ino}-${Math.floor(found.birthtimeMs)}` : 'none'
}

interface MarkedSessions {
  readonly store?: string
  readonly sessions?: Readonly<Record<string, { readonly threadId?: unknown }>>
}

/** The thread a session was imported into; undefined if unknown. */
export async function markedThread(
  address: string,
  path: string,
  io: Surroundings,
): Promise<string | undefined> {
  const text = await readFile(marksFile(address, io), 'utf8').catch(() => '')
  // A half-written file counts as missing, as in `Marks`.
  if (!text.endsWith('}')) return undefined
  const { store, sessions = {} } = JSON.parse(text) as MarkedSessions
  if (store !== (await storeIdentity(address, io))) return undefined
  const threadId = Object.hasOwn(sessions, path) ? sessions[path]?.threadId : undefined
  return typeof threadId === 'string' ? threadId : undefined
}

const schema = z.object({
  /** The store's file: another one has none of these threads. */
  store: z.string(),
  sessions: z.record(
    z.string(),
    z.object({
      bytes: z.number(),
      updatedMs: z.number(),
      threadId: z.string().exactOptional(),
      isHeld: z.boolean().exactOptional(),
    }),
  ),
})

/** After a write this recent the agent may still be working. */
const AT_WORK_MS = 600_000

export function isAtWork({ updatedMs }: Pick<FoundSession, 'updatedMs'>, now: Date): boolean {
  return now.getTime() - updatedMs < AT_WORK_MS
}

type Mark = z.output<typeof schema>['sessions'][string]

/** The state of each session at its last import, for one store. May be deleted. */
export class Marks {
  readonly #io: Io
  readonly #file: string
  readonly #store: () => Promise<string>
  readonly #sessions: Map<string, Mark>

  private constructor(
    io: Io,
    file: string,
    store: () => Promise<string>,
    sessions: Map<string, Mark>,
  ) {
    this.#io = io
    this.#file = file
    this.#store = store
    this.#sessions = sessions
  }

  static async open({ store: address }: Settings, io: Io): Promise<Marks> {
    const file = marksFile(address, io)
    const store = () => storeIdentity(address, io)
    const text = await readFile(file, 'utf8').catch(() => '')
    return new Marks(io, file, store, new Map(Object.entries(readMarks(text, await store()))))
  }

  /** A held-back answer is imported once its agent is idle. */
  isSame(session: FoundSession, now = new Date()): boolean {
    const known = this.#sessions.get(session.path)
    if (known?.bytes !== session.bytes || known.updatedMs !== session.updatedMs) return false
    return !known.isHeld || isAtWork(session, now)
  }

  /** Whether its last import held back an open answer. */
  isHeld(path: string): boolean {
    return this.#sessions.get(path)?.isHeld ?? false
  }

  /** The thread a session was imported into, if any. */
  threadOf(path: string): string | undefined {
    return this.#sessions.get(path)?.threadId
  }

  set(
    { path, bytes, updatedMs }: FoundSession,
    threadId: string | undefined,
    isHeld = this.isHeld(path),
  ): void {
    const thread = threadId !== undefined && { threadId }
    this.#sessions.set(path, { bytes, updatedMs, ...thread, ...(isHeld && { isHeld }) })
  }

  async save(): Promise<void> {
    await stateFolder(this.#io)
    const sessions = Object.fromEntries(this.#sessions)
    const text = JSON.stringify({ store: await this.#store(), sessions })
    await writeText(this.#file, text, this.#io)
  }
}

function readMarks(text: string, store: string) {
  try {
    const read = schema.parse(JSON.parse(text))
    return read.store === store ? read.sessions : {}
  } catch {
    return {}
  }
}
