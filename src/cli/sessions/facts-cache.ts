// What was read of session files before: their facts and usage, in the data directory; may be deleted
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { stateFolderPath } from '../../hosts/platform-folders.ts'
import { CATALOGUE_DATE } from '../../providers/catalogue.ts'
import type { Io } from '../process-io.ts'
import { stateFolder } from '../settings/places.ts'
import { writeText } from '../terminal/io.ts'
import type { FoundSession } from './find-sessions.ts'
import type { DayUsage, SessionFacts } from './session-facts.ts'

const FILE = 'session-facts.json'

const count = () => z.number().nonnegative()
const schema = z.object({
  /** Costs were computed with the prices of this day. */
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
type Known = z.output<typeof schema>['sessions'][string]

export class FactsCache {
  readonly #io: Io
  readonly #sessions: Map<string, Known>
  #isChanged = false

  private constructor(io: Io, sessions: Map<string, Known>) {
    this.#io = io
    this.#sessions = sessions
  }

  /** One that is missing, broken or of another version is empty. */
  static async open(io: Io): Promise<FactsCache> {
    const text = await readFile(join(stateFolderPath(io), FILE), 'utf8').catch(() => '')
    return new FactsCache(io, new Map(Object.entries(readKnown(text))))
  }

  /** Undefined where nothing is known; a session that grew keeps its beginning. */
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

  /** Without it everything is read again next time: a folder that cannot be written stops no listing. */
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

function readKnown(text: string): Record<string, Known> {
  try {
    return schema.parse(JSON.parse(text)).sessions
  } catch {
    return {}
  }
}
