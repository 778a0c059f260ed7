// Facts read from a session's content: project and title from its start, usage from all of it.
import { closeSync, openSync, readSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { EventDraft, EventOf } from '../../core/log/event.ts'
import type { TokenUsage } from '../../core/view/content.ts'
import { typedTexts } from '../../core/view/typed-text.ts'
import { ReadNotes } from '../../formats/reading/notes.ts'
import { detectFormat, readSample } from '../../formats/reading/sample.ts'
import { findWorkplace, isOfSubAgent } from '../../formats/reading/workplace.ts'
import type { SessionFormat, Source } from '../../formats/session-format.ts'
import { stateFolderPath } from '../../hosts/platform-folders.ts'
import { CATALOGUE_DATE, type ModelOverrides, modelInfo } from '../../providers/catalogue.ts'
import { costOf } from '../../providers/costs.ts'
import type { Io } from '../process-io.ts'
import { openInput } from '../session/input.ts'
import { stateFolder } from '../settings/places.ts'
import { writeText } from '../terminal/io.ts'
import type { FoundSession } from './find-sessions.ts'

export interface SessionFacts {
  readonly format: string
  readonly project?: string
  readonly title?: string
  /** A sub-agent's session: found by id, but never listed. */
  readonly isSubAgent?: boolean
}

/** One model's usage on one day. */
export interface DayUsage {
  readonly day: string // such as 2026-03-01; empty without times
  readonly model: string
  readonly answers: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  readonly costUsd?: number // absent without a known price
}

/** Most sessions show their topic within this; a document must be read whole. */
const MOST_HEAD_BYTES = 500_000
const HEAD_BYTES = [16_000, MOST_HEAD_BYTES]
const TITLE_CHARS = 200

/** Undefined if the file is not a session. */
export async function readFacts(
  session: FoundSession,
  formats: readonly SessionFormat[],
  io: Pick<Io, 'stdin' | 'cwd'>,
): Promise<SessionFacts | undefined> {
  let facts: SessionFacts | undefined
  for (const bytes of HEAD_BYTES) {
    facts = await factsWithin(session, bytes, formats, io).catch(() => undefined)
    const isWhole = facts?.project !== undefined && facts.title !== undefined
    if (isWhole || facts?.isSubAgent || (facts && bytes >= session.bytes)) break
  }
  if (!facts) return undefined
  const { project = facts.project, title = facts.title } = session
  return {
    ...facts,
    ...(project !== undefined && project !== '' && { project }),
    ...(title !== undefined && title !== '' && { title }),
  }
}

async function factsWithin(
  session: FoundSession,
  bytes: number,
  formats: readonly SessionFormat[],
  io: Pick<Io, 'stdin' | 'cwd'>,
): Promise<SessionFacts> {
  const source = await readHead(session, bytes, io)
  const format =
    formats.find(({ id }) => id === session.agent) ??
    detectFormat(await readSample(source), formats)
  const drafts: EventDraft[] = []
  let title: string | undefined
  for await (const step of format.read(source, new ReadNotes())) {
    if (step.type !== 'drafts') continue
    for (const { draft } of step.drafts) {
      drafts.push(draft)
      title ??= titleIn(draft)
    }
    if (isOfSubAgent(drafts)) break
    if (title !== undefined && findWorkplace(drafts) !== undefined) break
  }
  const project = findWorkplace(drafts)
  return {
    format: format.id,
    ...(project !== undefined && { project }),
    ...(title !== undefined && { title }),
    ...(isOfSubAgent(drafts) && { isSubAgent: true }),
  }
}

/** The first thing a person typed. */
function titleIn(draft: EventDraft): string | undefined {
  if (draft.type !== 'USER_MESSAGE') return undefined
  const text = typedTexts(draft as EventOf<'USER_MESSAGE'>)
    .join(' ')
    .slice(0, 4 * TITLE_CHARS)
  return text.replace(/\s+/g, ' ').trim().slice(0, TITLE_CHARS) || undefined
}

/** The billed usage of every answer, in all branches the reader follows. */
export async function readUsage(
  session: FoundSession,
  format: SessionFormat,
  overrides: ModelOverrides,
  io: Pick<Io, 'stdin' | 'cwd'>,
): Promise<DayUsage[]> {
  const days = new Map<string, DayUsage>()
  const isShort = session.bytes <= MOST_HEAD_BYTES
  const source = isShort
    ? await readHead(session, session.bytes, io)
    : await openInput(session.path, io)
  for await (const step of format.read(source, new ReadNotes())) {
    if (step.type !== 'drafts') continue
    for (const { draft } of step.drafts) {
      if (draft.type !== 'AGENT_MESSAGE' || !draft.data.tokenUsage) continue
      const day = draft.timestamp?.toISOString().slice(0, 10) ?? ''
      const model = draft.data.model ?? 'unknown'
      const key = `${day} ${model}`
      days.set(key, withUsage(days.get(key), day, model, draft.data.tokenUsage, overrides))
    }
  }
  return [...days.values()]
}

function withUsage(
  known: DayUsage | undefined,
  day: string,
  model: string,
  usage: TokenUsage,
  overrides: ModelOverrides,
): DayUsage {
  const cost = costOf(usage, modelInfo(model, overrides))
  const costUsd = known && known.costUsd === undefined ? undefined : cost
  return {
    day,
    model,
    answers: (known?.answers ?? 0) + 1,
    promptTokens: (known?.promptTokens ?? 0) + usage.promptTokens,
    completionTokens: (known?.completionTokens ?? 0) + usage.completionTokens,
    cacheReadTokens: (known?.cacheReadTokens ?? 0) + (usage.cacheReadTokens ?? 0),
    cacheWriteTokens: (known?.cacheWriteTokens ?? 0) + (usage.cacheWriteTokens ?? 0),
    ...(costUsd !== undefined && { costUsd: (known?.costUsd ?? 0) + costUsd }),
  }
}

/** The first lines of a file of lines; anything else is one document. */
async function readHead(
  { path, bytes: all }: FoundSession,
  bytes: number,
  io: Pick<Io, 'stdin' | 'cwd'>,
): Promise<Source> {
  if (!path.endsWith('.jsonl')) return openInput(path, io)
  // Synchronous: for a thousand files, waiting for threads would take longer than reading.
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.allocUnsafe(Math.min(bytes, all))
    const bytesRead = readSync(file, buffer, 0, buffer.length, 0)
    const read = buffer.subarray(0, bytesRead)
    const end = bytesRead < all ? read.lastIndexOf(0x0a) + 1 : bytesRead
    const head = read.subarray(0, end)
    return {
      bytes: head.length,
      async *open() {
        yield head
      },
    }
  } finally {
    closeSync(file)
  }
}

const FILE = 'session-facts.json'

const count = () => z.number().nonnegative()
const schema = z.object({
  /** The price list used for the costs. */
  prices: z.literal(CATALOGUE_DATE),
  sessions: z.record(
    z.string(),
    z.object({
      bytes: count(),
      updatedMs: z.number(),
      facts: z
        .object({
          format: z.string(),
          project: z.string().exactOptional(),
          title: z.string().exactOptional(),
          isSubAgent: z.boolean().exactOptional(),
        })
        .exactOptional(),
      usage: z
        .array(
          z.object({
            day: z.string(),
            model: z.string(),
            answers: count(),
            promptTokens: count(),
            completionTokens: count(),
            cacheReadTokens: count(),
            cacheWriteTokens: count(),
            costUsd: count().exactOptional(),
          }),
        )
        .exactOptional(),
    }),
  ),
})
type CachedFacts = z.output<typeof schema>['sessions'][string]

export class FactsCache {
  readonly #io: Io
  readonly #sessions: Map<string, CachedFacts>
  #isChanged = false

  private constructor(io: Io, sessions: Map<string, CachedFacts>) {
    this.#io = io
    this.#sessions = sessions
  }

  /** A missing, broken or outdated one is empty. */
  static async open(io: Io): Promise<FactsCache> {
    const text = await readFile(join(stateFolderPath(io), FILE), 'utf8').catch(() => '')
    return new FactsCache(io, new Map(Object.entries(readKnown(text))))
  }

  /** Undefined if nothing is known; a session that grew keeps the facts of its start. */
  facts({ path, bytes }: FoundSession): SessionFacts | undefined {
    const known = this.#sessions.get(path)
    return known && known.bytes <= bytes ? known.facts : undefined
  }

  usage({ path, bytes, updatedMs }: FoundSession): readonly DayUsage[] | undefined {
    const known = this.#sessions.get(path)
    return known?.bytes === bytes && known.updatedMs === updatedMs ? known.usage : undefined
  }

  set(session: FoundSession, facts: SessionFacts, usage?: readonly DayUsage[]): void {
    const { path, bytes, updatedMs } = session
    this.#sessions.set(path, { bytes, updatedMs, facts, ...(usage && { usage: [...usage] }) })
    this.#isChanged = true
  }

  /** Best effort: without the cache everything is read again next time. */
  async save(): Promise<void> {
    if (!this.#isChanged) return
    const kept = { prices: CATALOGUE_DATE, sessions: Object.fromEntries(this.#sessions) }
    try {
      await writeText(join(await stateFolder(this.#io), FILE), JSON.stringify(kept), this.#io)
    } catch {
      return
    }
    this.#isChanged = false
  }
}

function readKnown(text: string): Record<string, CachedFacts> {
  try {
    return schema.parse(JSON.parse(text)).sessions
  } catch {
    return {}
  }
}
