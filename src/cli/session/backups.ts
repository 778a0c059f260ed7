// Backups of files that précis replaced, in the data directory, for undo and redo.
import { createHash } from 'node:crypto'
import { readdir, readFile, realpath, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { PrecisError } from '../../core/errors.ts'
import type { Source } from '../../formats/session-format.ts'
import { stateFolderPath } from '../../hosts/platform-folders.ts'
import { randomIds } from '../../system.ts'
import type { Io } from '../process-io.ts'
import { stateFolder } from '../settings/places.ts'
import { makeFolder, requireUnlocked, type Written, writeText } from '../terminal/io.ts'
import { quoted } from '../terminal/terminal.ts'
import { openInput } from './input.ts'
import {
  type DatabaseSession,
  databaseSession,
  readDatabase,
  writeDatabase,
} from './opencode-database.ts'
import { replaceUnchanged } from './replace-unchanged.ts'

/** Older backups of the same file are deleted. */
const KEPT = 20

const schema = z.object({
  id: z.string(),
  /** Counts up, independent of the clock. */
  ordinal: z.number().default(0),
  path: z.string(),
  at: z.string(),
  what: z.string(), // the change
  before: z.string(), // digests
  after: z.string(),
})
type Backup = z.output<typeof schema>

/**
 * Replaces a file atomically and keeps a backup. Rejects if the file is no longer what was read. Lines that
 * another program appends meanwhile are in the file and in the backup.
 */
export async function replaceWithBackup(
  given: string,
  text: Written,
  { digest, what }: { readonly digest: string; readonly what: string },
  io: Io,
): Promise<Backup> {
  const database = databaseSession(given, io.cwd)
  await requireReplaceable(given, io)
  const path = await findPath(given, io)
  await stateFolder(io)
  const folder = readFolder(path, io)
  await makeFolder(folder, 0o700)
  const [latest] = await backupsIn(folder)
  const id = randomIds.next('bak')
  const at = new Date().toISOString()
  const ordinal = (latest?.ordinal ?? 0) + 1
  const backup = { id, ordinal, path, at, what, before: digest, after: computeDigest(text) }
  if (database) return replaceRows(database, text, { folder, backup, digest }, io)
  const content = await readFile(path)
  if (computeDigest(content) !== digest) throw changedMeanwhile(given)
  // The copies are on the disk before the file changes, and are listed only when both exist.
  await keep(folder, backup, content, text, io)
  const appended = await replaceUnchanged(path, digest, text, io)
  if (appended === undefined) {
    await forget(folder, id)
    throw changedMeanwhile(given)
  }
  const kept = appended.length === 0 ? backup : await keepLonger(folder, backup, appended, io)
  await forgetOld(folder)
  return kept
}

/** In a database only one session's rows are replaced; the copies are its documents. */
async function replaceRows(
  database: DatabaseSession,
  text: Written,
  { folder, backup, digest }: { folder: string; backup: Backup; digest: string },
  io: Io,
): Promise<Backup> {
  let kept = backup
  await writeDatabase(database, wholeText(text), async (before, after) => {
    if (computeDigest(before) !== digest) throw changedMeanwhile(database.given)
    kept = { ...backup, after: computeDigest(after) }
    await keep(folder, kept, before, after, io)
  })
  await forgetOld(folder)
  return kept
}

function wholeText(text: Written): string {
  if (typeof text === 'string') return text
  return text instanceof Uint8Array ? Buffer.from(text).toString('utf8') : [...text].join('')
}

/** Call this before keeping anything or asking a model. */
export async function requireReplaceable(given: string, io: Io): Promise<void> {
  const { file = resolve(io.cwd, given) } = databaseSession(given, io.cwd) ?? {}
  await requireUnlocked(file, given)
}

/** Resolves links, so that a file has one list of backups. */
async function findPath(given: string, io: Io): Promise<string> {
  const database = databaseSession(given, io.cwd)
  if (!database) return realpath(resolve(io.cwd, given))
  const { name } = await readDatabase({ ...database, file: await realpath(database.file) })
  return name
}

async function keep(folder: string, backup: Backup, before: Written, after: Written, io: Io) {
  const { id } = backup
  await writeText(join(folder, `${id}.before`), before, io)
  await writeText(join(folder, `${id}.after`), after, io)
  await writeText(join(folder, `${id}.json`), `${JSON.stringify(backup)}\n`, io)
}

/** Adds lines that arrived during the replacement, so undo does not lose them. */
async function keepLonger(
  folder: string,
  backup: Backup,
  appended: Uint8Array,
  io: Io,
): Promise<Backup> {
  const longer = async (end: 'before' | 'after') =>
    Buffer.concat([await readFile(join(folder, `${backup.id}.${end}`)), appended])
  const [before, after] = [await longer('before'), await longer('after')]
  const longerBackup = { ...backup, before: computeDigest(before), after: computeDigest(after) }
  await keep(folder, longerBackup, before, after, io)
  return longerBackup
}

/** The exact file from before the replacement that made it what it is. */
export async function undoReplacement(given: string, io: Io): Promise<Backup> {
  return swap(given, io, { now: 'after', next: 'before' })
}

export async function redoReplacement(given: string, io: Io): Promise<Backup> {
  return swap(given, io, { now: 'before', next: 'after' })
}

/** The backup of the file's previous content; undefined if précis did not produce the current one. */
export async function buildBackup(
  given: string,
  io: Io,
): Promise<{ readonly path: string; readonly what: string } | undefined> {
  // Pipes and missing files were never replaced, and a pipe cannot be read twice.
  const found = await stat(databaseSession(given, io.cwd)?.file ?? resolve(io.cwd, given)).catch(
    () => undefined,
  )
  if (!found?.isFile()) return undefined
  const folder = readFolder(await findPath(given, io), io)
  const kept = await backupsIn(folder)
  if (kept.length === 0) return undefined
  const digest = await digestOfFile(given, io)
  const last = kept.find(({ after }) => after === digest)
  return last && { path: join(folder, `${last.id}.before`), what: last.what }
}

interface Swap {
  readonly now: 'before' | 'after'
  readonly next: 'before' | 'after'
}

async function swap(given: string, io: Io, way: Swap): Promise<Backup> {
  const digest = await digestOfFile(given, io)
  const path = await findPath(given, io)
  const folder = readFolder(path, io)
  const kept = await backupsIn(folder)
  const found = kept.find((backup) => backup[way.now] === digest)
  if (!found)
    throw (
      doneAlready(
        given,
        kept.find((backup) => backup[way.next] === digest),
        way,
      ) ?? nothingKept(given, kept, way, folder)
    )
  await requireReplaceable(given, io)
  const next = await readFile(join(folder, `${found.id}.${way.next}`))
  const database = databaseSession(given, io.cwd)
  if (database) {
    await writeDatabase(database, next.toString('utf8'), async (before) => {
      if (computeDigest(before) !== digest) throw changedMeanwhile(given)
    })
    return found
  }
  if ((await replaceUnchanged(path, digest, next, io)) === undefined) throw changedMeanwhile(given)
  return found
}

function readFolder(path: string, io: Io): string {
  return join(stateFolderPath(io), 'backups', computeDigest(path).slice(0, 32))
}

/** Latest first. */
async function backupsIn(folder: string): Promise<Backup[]> {
  const found = await readdir(folder).catch(() => []) // no backups yet
  const names = found.filter((name) => name.endsWith('.json'))
  const backups: Backup[] = []
  for (const name of names.sort().reverse()) {
    const read = schema.safeParse(JSON.parse(await readFile(join(folder, name), 'utf8')))
    if (read.success) backups.push(read.data)
  }
  return backups.sort((a, b) => b.ordinal - a.ordinal)
}

async function forgetOld(folder: string): Promise<void> {
  for (const { id } of (await backupsIn(folder)).slice(KEPT)) await forget(folder, id)
}

async function forget(folder: string, id: string): Promise<void> {
  for (const end of ['json', 'before', 'after'])
    await rm(join(folder, `${id}.${end}`), { force: true })
}

function changedMeanwhile(given: string): PrecisError {
  return new PrecisError('version-conflict', `${given} has changed in the meantime`, {
    where: given,
    hint: 'Nothing was written. End the program that writes to it, and try again.',
  })
}

/** The file already is what the command would produce. */
function doneAlready(
  given: string,
  backup: Backup | undefined,
  { now }: Swap,
): PrecisError | undefined {
  if (backup === undefined) return undefined
  const { what } = backup
  const at = backup.at.slice(0, 16).replace('T', ' ')
  return now === 'after'
    ? new PrecisError('nothing-to-undo', `there is nothing left to undo in ${given}`, {
        where: given,
        hint: `The file was ${what} on ${at} and then restored. precis redo ${quoted(given)} brings that back.`,
      })
    : new PrecisError('nothing-to-redo', `there is nothing to redo in ${given}`, {
        where: given,
        hint: `It was ${what} on ${at} and not restored since. precis undo ${quoted(given)} reverts it.`,
      })
}

function nothingKept(
  given: string,
  [latest]: readonly Backup[],
  { now }: Swap,
  folder: string,
): PrecisError {
  const code = now === 'after' ? 'nothing-to-undo' : 'nothing-to-redo'
  if (latest === undefined)
    return new PrecisError(code, `precis has not replaced ${given}`, {
      where: given,
      hint: 'For files, undo restores only precis compact --in-place.',
    })
  return new PrecisError(code, `${given} has changed since précis wrote it`, {
    where: given,
    hint: `Nothing was changed: later lines would be lost. What it was on ${latest.at} is ${join(folder, `${latest.id}.before`)}.`,
  })
}

/** The digest of a file, to detect changes. */
export async function digestOfFile(path: string, io: Pick<Io, 'stdin' | 'cwd'>): Promise<string> {
  return digestOfSource(await openInput(path, io))
}

export async function digestOfSource(source: Source): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of source.open()) hash.update(piece)
  return hash.digest('hex')
}

export function computeDigest(content: Written): string {
  const hash = createHash('sha256')
  const isWhole = typeof content === 'string' || content instanceof Uint8Array
  for (const piece of isWhole ? [content] : content) hash.update(piece)
  return hash.digest('hex')
}
