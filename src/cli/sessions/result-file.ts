// Where the results of several sessions go: one file each below a directory.
import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { PrecisError } from '../../core/errors.ts'
import type { Io } from '../process-io.ts'
import { makeFolder } from '../terminal/io.ts'
import { quoted } from '../terminal/terminal.ts'

/** The result file of one of these sessions, if any. */
export type ResultOf = (name: string, all: readonly string[]) => string | undefined

/** Throws if two sessions would share a file. */
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
 * The result file of one of several sessions: its own name below the directory of `--out`, with the same
 * subdirectories as the input.
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

/** Several results need a directory. A name with a file ending is a mistake, unless that directory exists. */
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

/** File endings of sessions and pages. */
const FILE_ENDING = /\.(?:html?|md|markdown|jsonl?|txt|traj|db)$/i

/** Creates the directories it needs. */
export async function makeResultFile(
  ...given: Parameters<typeof resultFile>
): Promise<string | undefined> {
  const file = resultFile(...given)
  if (file !== undefined) await makeFolder(dirname(file))
  return file
}

/** Relative to the directory that all files share. */
function choosePlace(session: string, all: readonly string[], cwd: string): string {
  const isFile = (name: string) => !name.includes('#') && existsSync(resolve(cwd, name))
  if (!isFile(session)) return basename(session.replace(/^.*#/, ''))
  const folders = all.filter(isFile).map((name) => dirname(resolve(cwd, name)).split(sep))
  const [first = []] = folders
  const parted = first.findIndex((part, at) => folders.some((folder) => folder[at] !== part))
  const common = parted < 0 ? first : first.slice(0, parted)
  return resolve(cwd, session).split(sep).slice(common.length).join(sep)
}
