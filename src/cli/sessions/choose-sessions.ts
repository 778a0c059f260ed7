// The sessions that the words of a command name: files, directories, ids, --last and --here
import { existsSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { Writable } from 'node:stream'
import { asPrecisError, PrecisError } from '../../core/errors.ts'
import { escapeSteering } from '../../core/text/visible.ts'
import type { Io } from '../process-io.ts'
import { isThread } from '../session/formats.ts'
import { loadSettings } from '../settings/settings.ts'
import { writeStream } from '../terminal/io.ts'
import { buildStyle, print } from '../terminal/terminal.ts'
import type { ChosenBy } from './choosing.ts'
import { FactsCache } from './facts-cache.ts'
import { findSessions } from './find-sessions.ts'
import type { FoundSession } from './found-session.ts'
import { selectSessions } from './select-sessions.ts'

/** One session; undefined where none is named. */
export async function chooseSession(
  given: string | undefined,
  chosen: ChosenBy,
  io: Io,
): Promise<string | undefined> {
  const one = { ...chosen, ...(chosen.here && { last: true }) }
  const names = await chooseSessions(given === undefined ? [] : [given], one, io)
  if (names.length > 1)
    throw new PrecisError('usage', `${given} holds ${names.length} sessions`, {
      ...(given !== undefined && { where: given }),
      hint: 'Name one of them: precis sessions lists them.',
    })
  return names[0]
}

/** As every command takes them: paths, threads, and `-`. */
export async function chooseSessions(
  given: readonly string[],
  { last, here }: ChosenBy,
  io: Io,
): Promise<readonly string[]> {
  if (!last && !here) return (await Promise.all(given.map((name) => named(name, io)))).flat()
  if (given.length > 0)
    throw new PrecisError('usage', 'a session is named, and chosen by --last or --here as well', {
      where: last ? '--last' : '--here',
      hint: 'Leave one of them out.',
    })
  const { settings } = loadSettings(io)
  const cache = await FactsCache.open(io)
  const filters = { ...(last && { last }), ...(here && { here }) }
  const found = await selectSessions([], filters, { settings, cache }, io)
  await cache.save()
  if (found.length > 0) return found.map(({ path }) => path)
  throw new PrecisError('not-found', `there is no session ${here ? 'of this directory' : 'here'}`, {
    where: here ? io.cwd : '--last',
    hint: 'precis sessions lists the sessions on this machine. docs/use-with-agents.md says where précis looks.',
  })
}

/** What is no file and no thread may be an id, or its beginning. */
async function named(name: string, io: Io): Promise<readonly string[]> {
  const path = resolve(io.cwd, name)
  if (name === '' || name === '-') return [name]
  if (existsSync(path)) return statSync(path).isDirectory() ? below(name, io) : [name]
  if (isThread(name) || !ID.test(name)) return [name]
  const { settings } = loadSettings(io)
  const found = await findSessions(settings, io)
  const whole = found.filter(({ id }) => id === name)
  const fitting = whole.length > 0 ? whole : found.filter(({ id }) => id.startsWith(name))
  if (fitting.length > 1)
    throw new PrecisError('usage', `${name} is the beginning of ${fitting.length} ids`, {
      where: name,
      hint: `Give more of it: ${fitting
        .slice(0, LISTED)
        .map(({ id }) => id)
        .join(', ')}.`,
    })
  return [fitting[0]?.path ?? name]
}

/** Shorter ones would be mistyped names of files. */
const ID = /^[\w-]{6,}$/
const LISTED = 5

async function below(folder: string, io: Io): Promise<readonly string[]> {
  const { settings } = loadSettings(io)
  const cache = await FactsCache.open(io)
  const skipped: string[] = []
  const onSkipped = ({ path }: FoundSession) => skipped.push(path)
  const found = await selectSessions([folder], {}, { settings, cache, onSkipped }, io)
  await cache.save()
  await tellSkipped(skipped, io)
  if (found.length > 0) return found.map(({ path }) => path)
  throw new PrecisError('not-found', `${folder} holds no session`, {
    where: folder,
    hint: 'précis looks for files that end in .jsonl, .json, .db, .traj or .chat.history.md.',
  })
}

async function tellSkipped(skipped: readonly string[], { stderr }: Io): Promise<void> {
  const lines = skipped
    .slice(0, LISTED)
    .map((path) => `skipped ${path}: not a session, or it cannot be read`)
  const more = skipped.length - LISTED
  if (more > 0) lines.push(`skipped ${more} more files`)
  for (const line of lines) await writeStream(stderr, `precis: ${escapeSteering(line)}\n`)
}

/**
 * Runs a command on each session. One is run as it is; of several, each report stands under its name, and a
 * failure does not keep the others from running. As JSON they are one list.
 */
export async function eachSession(
  given: readonly string[],
  flags: ChosenBy & { readonly json?: boolean },
  io: Io,
  run: (name: string, io: Io, isOne: boolean) => Promise<void>,
): Promise<void> {
  const { json = false } = flags
  const names = await chooseSessions(given, flags, io)
  if (names.length < 2) return run(names[0] ?? '', io, true)
  const told: unknown[] = []
  let failed = 0
  for (const session of names) {
    if (!json)
      await writeStream(
        io.stdout,
        `${buildStyle(io.stdout, io.environment).bold(`==> ${session}`)}\n`,
      )
    const captured = json ? new Captured() : undefined
    try {
      await run(session, captured ? { ...io, stdout: captured } : io, false)
      if (captured) told.push({ session, report: captured.value() })
    } catch (thrown) {
      failed += 1
      const { code, message, hint } = asPrecisError(thrown)
      const report = captured?.value()
      const error = { code, message, ...(hint !== undefined && { hint }) }
      if (json) told.push({ session, ...(report !== undefined && { report }), error })
      else await writeStream(io.stderr, `precis: ${session}: ${message}\n`)
    }
  }
  if (json) await print(io, told, true, () => '')
  if (failed > 0)
    throw new PrecisError('invalid-input', `${failed} of ${names.length} sessions failed`, {
      hint: 'The report lists each with its error.',
    })
}

/** Standard output of one run: a report in JSON. */
class Captured extends Writable {
  #text = ''

  override _write(piece: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#text += piece.toString('utf8')
    done()
  }

  value(): unknown {
    return this.#text.trim() === '' ? undefined : JSON.parse(this.#text)
  }
}

/** Where the result of one of several sessions goes: under its own name, in the directory of `--out`. */
export async function resultFile(
  session: string,
  out: string | undefined,
  ending: string | undefined,
  { cwd }: Io,
): Promise<string | undefined> {
  if (out === undefined) return undefined
  if (out === '-')
    throw new PrecisError('usage', 'the results of several sessions need files', {
      where: '--out',
      hint: 'Name a directory with --out; each result gets the name of its session.',
    })
  const folder = resolve(cwd, out)
  await mkdir(folder, { recursive: true })
  const name = basename(session.replace(/^.*#/, ''))
  return join(folder, ending === undefined ? name : `${name.replace(/\.\w+$/, '')}.${ending}`)
}
