// The sessions a command's words name: files, directories, ids, --last and --here.
import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Writable } from 'node:stream'
import { asPrecisError, PrecisError } from '../../core/errors.ts'
import { escapeSteering } from '../../core/text/visible.ts'
import { secretsOf } from '../../redact/known.ts'
import { redact } from '../../redact/redact.ts'
import type { Io } from '../process-io.ts'
import { isThread } from '../session/formats.ts'
import { loadSettings } from '../settings/settings.ts'
import { writeStream } from '../terminal/io.ts'
import { buildStyle, print } from '../terminal/terminal.ts'
import { wholePath } from '../threads/import-file.ts'
import type { ChosenBy } from './choosing.ts'
import type { FoundSession } from './find-sessions.ts'
import { findSessions, sessionById } from './find-sessions.ts'
import { type ResultOf, requireOwnResults } from './result-file.ts'
import { selectSessions } from './select-sessions.ts'
import { FactsCache } from './session-facts.ts'

interface Choice extends ChosenBy {
  /** The command changes sessions, so a few letters do not name one. */
  readonly isChanged?: boolean
}

/** One session; undefined if none is named. */
export async function chooseSession(
  given: string | undefined,
  chosen: ChosenBy,
  io: Io,
  isLeftOut?: (session: FoundSession) => boolean,
): Promise<string | undefined> {
  const one = { ...chosen, ...(chosen.here && { last: true }) }
  const names = await chooseSessions(given === undefined ? [] : [given], one, io, isLeftOut)
  if (names.length > 1)
    throw new PrecisError('usage', `${given} holds ${names.length} sessions`, {
      ...(given !== undefined && { where: given }),
      hint: 'Name one of them: precis sessions lists them.',
    })
  return names[0]
}

/** As every command accepts them: paths, threads, and `-`. */
export async function chooseSessions(
  given: readonly string[],
  { last, here, isChanged = false }: Choice,
  io: Io,
  isLeftOut?: (session: FoundSession) => boolean,
): Promise<readonly string[]> {
  if (!last && !here)
    return (await Promise.all(given.map((name) => named(name, isChanged, io)))).flat()
  if (given.length > 0)
    throw new PrecisError('usage', 'pass either a session, or --last or --here', {
      where: last ? '--last' : '--here',
      hint: 'Leave one of them out.',
    })
  const { settings } = loadSettings(io)
  const cache = await FactsCache.open(io)
  const filters = { ...(last && { last }), ...(here && { here }) }
  const found = await selectSessions(
    [],
    filters,
    { settings, cache, ...(isLeftOut && { isLeftOut }) },
    io,
  )
  await cache.save()
  if (found.length > 0) return found.map(({ path }) => path)
  throw new PrecisError('not-found', `there is no session ${here ? 'of this directory' : 'here'}`, {
    where: here ? io.cwd : '--last',
    hint: 'precis sessions lists the sessions on this machine. docs/use-with-agents.md says where précis looks.',
  })
}

/** Anything else may be an id or its start. */
async function named(name: string, isChanged: boolean, io: Io): Promise<readonly string[]> {
  const path = resolve(io.cwd, name)
  if (name === '' || name === '-') return [name]
  if (existsSync(path)) return statSync(path).isDirectory() ? below(name, io) : [name]
  if (isThread(name) || !ID.test(name)) return [name]
  const { settings } = loadSettings(io)
  const found = sessionById(name, await findSessions(settings, io))
  if (found && isChanged && found.id !== name && name.length < LEAST_CHARS)
    throw new PrecisError('usage', `${name} is too short for a command that changes a session`, {
      where: name,
      hint: `Give at least ${LEAST_CHARS} characters: ${found.id}.`,
    })
  return [found?.path ?? name]
}

/** Ids of agents; session file names contain a dot. */
const ID = /^[\w-]+$/
/** Minimum length of the id of a session to be changed. */
const LEAST_CHARS = 6
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
 * Runs a command on each session. Of several, each report gets a heading, and a failure does not stop the
 * others; as JSON they form one list. If `check` rejects for one, or two share a result file, none runs.
 */
export async function eachSession(
  given: readonly string[],
  flags: Choice & { readonly json?: boolean },
  io: Io,
  run: (name: string, io: Io, all: readonly string[]) => Promise<void>,
  { refuseAll, resultOf, check }: Before = {},
): Promise<void> {
  const { json = false } = flags
  const names = await withoutRepeated(await chooseSessions(given, flags, io), io)
  if (names.length < 2) return run(names[0] ?? '', io, names)
  refuseAll?.(names)
  if (resultOf) requireOwnResults(names, resultOf)
  if (check) await checkAll(names, check, io)
  const told: unknown[] = []
  let failed = 0
  for (const session of names) {
    if (!json)
      await writeStream(
        io.stdout,
        `${buildStyle(io.stdout, io.environment).bold(`==> ${escapeSteering(session)}`)}\n`,
      )
    const captured = json ? new TextSink() : undefined
    try {
      await run(session, captured ? { ...io, stdout: captured } : io, names)
      if (captured) told.push({ session, report: captured.value() })
    } catch (thrown) {
      failed += 1
      const { code, message, hint } = asPrecisError(thrown)
      const report = captured?.value()
      const error = { code, message, ...(hint !== undefined && { hint }) }
      if (json) told.push({ session, ...(report !== undefined && { report }), error })
      else await tellFault(session, message, io)
    }
  }
  if (json) await print(io, told, true, () => '')
  if (failed > 0)
    throw new PrecisError('invalid-input', `${failed} of ${names.length} sessions failed`, {
      hint: `${printRest(names.length - failed)} The report lists each with its error.`,
    })
}

/** In the form of a failed command. */
async function tellFault(session: string, message: string, io: Io): Promise<void> {
  const { text } = redact(`precis: ${session}: ${message}`, secretsOf(io.environment))
  await writeStream(io.stderr, `${escapeSteering(text)}\n`)
}

function printRest(done: number): string {
  if (done === 0) return 'None is done.'
  return done === 1 ? 'The other one is done.' : `The other ${done} are done.`
}

/** Checks before any of several sessions runs. */
interface Before {
  readonly refuseAll?: (all: readonly string[]) => void
  readonly resultOf?: ResultOf
  readonly check?: (name: string, all: readonly string[]) => Promise<void>
}

/** A file counts once, however it was named. */
async function withoutRepeated(names: readonly string[], io: Io): Promise<readonly string[]> {
  const byPath = new Map<string, string>()
  for (const name of names) {
    const path = await wholePath(name, io)
    if (!byPath.has(path)) byPath.set(path, name)
  }
  return [...byPath.values()]
}

async function checkAll(
  names: readonly string[],
  check: NonNullable<Before['check']>,
  io: Io,
): Promise<void> {
  let failed = 0
  for (const name of names)
    await check(name, names).catch(async (thrown) => {
      failed += 1
      await tellFault(name, asPrecisError(thrown).message, io)
    })
  if (failed > 0)
    throw new PrecisError(
      'invalid-input',
      `${failed} of ${names.length} sessions cannot be processed`,
      {
        hint: 'Nothing was written. Leave them out, or correct them.',
      },
    )
}

/** Captures the standard output of one run: a JSON report. */
class TextSink extends Writable {
  #text = ''

  override _write(piece: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#text += piece.toString('utf8')
    done()
  }

  value(): unknown {
    return this.#text.trim() === '' ? undefined : JSON.parse(this.#text)
  }
}
