// The sessions that the options of a command select, newest first, with what is known of each
// The options that stand in for the name of a session, in every command that takes one
// Where the results of several sessions go: each in a file of its own below one directory
import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { Command } from 'commander'
import { PrecisError } from '../../core/errors.ts'
import type { Settings } from '../../core/settings/settings.ts'
import { SESSION_FORMATS } from '../../formats/index.ts'
import type { Io } from '../process-io.ts'
import { makeFolder } from '../terminal/io.ts'
import { ProgressLine } from '../terminal/progress.ts'
import { quoted } from '../terminal/terminal.ts'
import {
  type FoundSession,
  findSessions,
  SESSION_AGENTS,
  sessionsIn,
  unknownAgent,
} from './find-sessions.ts'
import { type FactsCache, readFacts, type SessionFacts } from './session-facts.ts'

export interface SessionFilters {
  readonly agent?: readonly string[]
  readonly project?: string
  readonly since?: string
  readonly here?: boolean
  readonly last?: boolean
  /** The beginning of their ids. */
  readonly id?: string
}

export interface KnownSession extends FoundSession {
  readonly facts: SessionFacts
}

interface Looking {
  readonly settings: Settings
  readonly cache: FactsCache
  /** Called with files that are no session, or cannot be read. */
  onSkipped?(session: FoundSession): void
  /** Also what sub-agents did, which is nothing that a person goes on with; `all`: also what only costs. */
  readonly subAgents?: boolean | 'all'
  /** Sessions that are passed over without a word. */
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

/** Here is this directory and what is below it; a word is any part of the path. */
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

/** A folder has one real path, however it was named. One that is gone is known by its name. */
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

export interface ChosenBy {
  readonly last?: boolean
  readonly here?: boolean
}

export function choosing(command: Command): void {
  command
    .option('--last', 'the newest session on this machine, of any agent')
    .option('--here', 'the sessions of this directory; with --last the newest of them')
}

/** The file that the result of one of these sessions goes to, if any. */
export type ResultOf = (name: string, all: readonly string[]) => string | undefined

/** Throws where two sessions would be written to one file. */
export function requireOwnResults(names: readonly string[], resultOf: ResultOf): void {
  const byFile = new Map<string, string>()
  for (const name of names) {
    const file = resultOf(name, names)
    if (file === undefined) continue
    const other = byFile.get(file)
    if (other !== undefined)
      throw new PrecisError('usage', `${other} and ${name} have the same result`, {
        where: file,
        hint: 'Nothing was written. Give one of them its own --out.',
      })
    byFile.set(file, name)
  }
}

/**
 * Where the result of one of several sessions goes: under its own name in the directory of `--out`, and in the same
 * directories below it as the sessions have below theirs.
 */
export function resultFile(
  session: string,
  all: readonly string[],
  out: string | undefined,
  ending: string | undefined,
  { cwd }: Io,
): string | undefined {
  if (out === undefined) return undefined
  const place = choosePlace(session, all, cwd)
  const name = ending === undefined ? place : `${place.replace(/\.\w+$/, '')}.${ending}`
  return join(resolve(cwd, out), name)
}

/** Several results go into a directory. A name that ends like a file is a slip, unless that directory is there. */
export function refuseOneFile(
  all: readonly string[],
  out: string | undefined,
  isGiven: boolean,
  { cwd }: Pick<Io, 'cwd'>,
): void {
  if (out === undefined || all.length < 2) return
  const refused = (message: string, hint: string) =>
    new PrecisError('usage', message, { where: '--out', hint })
  const rest = 'each result gets the name of its session.'
  if (out === '-')
    throw refused(
      `the results of ${all.length} sessions need files`,
      `${isGiven ? 'Name a directory: --out DIR' : 'Add --out DIR, a directory'}; ${rest}`,
    )
  const isFolder = statSync(resolve(cwd, out), { throwIfNoEntry: false })?.isDirectory()
  if (isFolder === false)
    throw refused(
      `${out} is a file, and there are ${all.length} sessions`,
      `Name a directory; ${rest}`,
    )
  if (isFolder === undefined && FILE_ENDING.test(out))
    throw refused(
      `${out} looks like one file, and there are ${all.length} sessions`,
      `Name a directory, as in --out ${quoted(out.replace(FILE_ENDING, ''))}; ${rest}`,
    )
}

/** As the files of sessions and pages end. */
const FILE_ENDING = /\.(?:html?|md|markdown|jsonl?|txt|traj|db)$/i

/** With the directories that it needs. */
export async function makeResultFile(
  ...given: Parameters<typeof resultFile>
): Promise<string | undefined> {
  const file = resultFile(...given)
  if (file !== undefined) await makeFolder(dirname(file))
  return file
}

/** Below the directory that all files have in common. */
function choosePlace(session: string, all: readonly string[], cwd: string): string {
  const isFile = (name: string) => !name.includes('#') && existsSync(resolve(cwd, name))
  if (!isFile(session)) return basename(session.replace(/^.*#/, ''))
  const folders = all.filter(isFile).map((name) => dirname(resolve(cwd, name)).split(sep))
  const [first = []] = folders
  const parted = first.findIndex((part, at) => folders.some((folder) => folder[at] !== part))
  const common = parted < 0 ? first : first.slice(0, parted)
  return resolve(cwd, session).split(sep).slice(common.length).join(sep)
}
