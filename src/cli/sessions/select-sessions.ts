// The sessions that a command's options select, newest first, with known facts.
import { existsSync, realpathSync, statSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { PrecisError } from '../../core/errors.ts'
import type { Settings } from '../../core/settings/settings.ts'
import { SESSION_FORMATS } from '../../formats/index.ts'
import type { Io } from '../process-io.ts'
import { ProgressLine } from '../terminal/progress.ts'
import { SESSION_AGENTS, unknownAgent } from './agent-folders.ts'
import { type FoundSession, findSessions, sessionsIn } from './find-sessions.ts'
import { type FactsCache, readFacts, type SessionFacts } from './session-facts.ts'

export interface SessionFilters {
  readonly agent?: readonly string[]
  readonly project?: string
  readonly since?: string
  readonly here?: boolean
  readonly last?: boolean
  /** The start of their ids. */
  readonly id?: string
}

export interface KnownSession extends FoundSession {
  readonly facts: SessionFacts
}

interface Looking {
  readonly settings: Settings
  readonly cache: FactsCache
  /** Called with files that are unreadable or not sessions. */
  onSkipped?(session: FoundSession): void
  /** Includes sub-agents' sessions, which people do not resume; `all`: also those that only cost. */
  readonly subAgents?: boolean | 'all'
  /** Sessions to skip silently. */
  isLeftOut?(session: FoundSession): boolean
}

export async function selectSessions(
  folders: readonly string[],
  filters: SessionFilters,
  { settings, cache, onSkipped, subAgents = folders.length > 0, isLeftOut }: Looking,
  io: Io,
): Promise<KnownSession[]> {
  const { agent: agents, project, since, here, last, id = '' } = filters
  for (const agent of agents ?? [])
    if (!SESSION_AGENTS.includes(agent)) throw unknownAgent(agent, '--agent')
  for (const folder of folders) requireFolder(folder, io)
  const sinceMs = since === undefined ? 0 : parseTime(since)
  const found =
    folders.length === 0
      ? await findSessions(settings, io, agents, subAgents === 'all')
      : (await Promise.all(folders.map((folder) => sessionsIn(folder, io)))).flat()
  const wanted = wantedProject(project, here ? io.cwd : undefined)
  const selected: KnownSession[] = []
  const progress = new ProgressLine(io.stderr)
  for (const [index, session] of found.entries()) {
    if (session.updatedMs < sinceMs || !session.id.startsWith(id)) continue
    if (isLeftOut?.(session)) continue
    progress.share(`looking at ${found.length} sessions`, index, found.length)
    const facts = cache.facts(session) ?? (await readSessionFacts(session, cache, io))
    if (!facts) onSkipped?.(session)
    if (!facts || (agents && !agents.includes(facts.format))) continue
    if (facts.isSubAgent && !subAgents && id === '') continue
    if (wanted(facts.project)) selected.push({ ...session, facts })
    if (last && selected.length > 0) break
  }
  progress.end()
  return selected
}

function requireFolder(folder: string, { cwd }: Pick<Io, 'cwd'>): void {
  const found = statSync(resolve(cwd, folder), { throwIfNoEntry: false })
  if (found?.isDirectory()) return
  if (!found)
    throw new PrecisError('not-found', `${folder} does not exist`, {
      where: folder,
      hint: 'Name an existing directory. Without one, the directories of the agents are searched.',
    })
  throw new PrecisError('usage', `${folder} is not a directory`, {
    where: folder,
    hint: `precis inspect ${folder} shows what a session file is made of.`,
  })
}

async function readSessionFacts(session: FoundSession, cache: FactsCache, io: Io) {
  const facts = await readFacts(session, SESSION_FORMATS, io)
  if (facts) cache.set(session, facts)
  return facts
}

/** `here` is this directory and everything below; a word is any part of the path. */
function wantedProject(
  word: string | undefined,
  here: string | undefined,
): (project: string | undefined) => boolean {
  const place = here === undefined ? undefined : realFolder(here)
  return (project) => {
    if (word !== undefined && !project?.toLowerCase().includes(word.toLowerCase())) return false
    if (place === undefined) return true
    const own = project === undefined ? undefined : realFolder(project)
    return own === place || (own?.startsWith(`${place}${sep}`) ?? false)
  }
}

/** A folder's real path, however it was named; a missing one keeps its name. */
function realFolder(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : folder
}

const UNITS_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** `12h`, `7d`, `2w`, or a date. */
function parseTime(text: string): number {
  const [, count, unit = ''] = /^(\d+)([hdw])$/.exec(text) ?? []
  const time =
    count === undefined ? Date.parse(text) : Date.now() - Number(count) * (UNITS_MS[unit] ?? 0)
  if (!Number.isNaN(time)) return time
  throw new PrecisError('usage', `${JSON.stringify(text)} is not a time`, {
    where: '--since',
    hint: 'Give a date, as in 2026-03-01, or an age, as in 12h, 7d or 2w.',
  })
}
