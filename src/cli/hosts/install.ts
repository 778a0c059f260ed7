// `precis install`, `precis uninstall`: changes an agent's configuration with a backup, and restores it
// exactly.
import { constants } from 'node:fs'
import { access, lstat, realpath, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, sep } from 'node:path'
import { asPrecisError, PrecisError } from '../../core/errors.ts'
import { nearestWord } from '../../core/text/nearest-word.ts'
import type { Io } from '../process-io.ts'
import { makeFolder, requireUnlocked, unwritable, writeText } from '../terminal/io.ts'
import { print } from '../terminal/terminal.ts'
import { isOnMachine } from './find-hosts.ts'
import {
  changedLines,
  computeDigest,
  HOSTS,
  type HostFile,
  type HostName,
  nextText,
  type Records,
  readIfThere,
  readRecords,
  readState,
  recordsFile,
  type TextState,
  type Work,
  withOurs,
  withoutOurs,
  withoutTrace,
  writeRecords,
} from './host-file.ts'
import { findHostPlace, listHostFiles } from './host-files.ts'

export interface InstallFlags {
  readonly all?: boolean
  readonly project?: boolean
  readonly dryRun?: boolean
  readonly status?: boolean
  readonly json?: boolean
}

export interface FileState {
  readonly host: HostName
  readonly path: string
  readonly state: TextState | 'unreadable' | 'not found'
  readonly isChanged: boolean
  /** Why it is unreadable, or what to do if the agent is missing. */
  readonly problem?: string
  /** In a dry run: added (+) and removed (-) lines. */
  readonly lines?: readonly string[]
}

export async function installHosts(
  given: readonly string[],
  flags: InstallFlags,
  io: Io,
): Promise<void> {
  await changeHosts(given, flags, io, flags.status ? 'look' : 'install')
}

export async function uninstallHosts(
  given: readonly string[],
  flags: InstallFlags,
  io: Io,
): Promise<void> {
  await changeHosts(given, flags, io, 'uninstall')
}

async function changeHosts(
  given: readonly string[],
  flags: InstallFlags,
  io: Io,
  work: Work,
): Promise<void> {
  const hosts = chooseHosts(given, flags)
  const project = flags.project ? io.cwd : undefined
  // Named agents are always installed; --all takes those that exist.
  const place = findHostPlace(io, io.script, project)
  const isSkipped = (host: HostName) =>
    work === 'install' && flags.all === true && !given.includes(host) && !isOnMachine(host, place)
  const found = hosts.filter((host) => !isSkipped(host))
  const told = [
    ...(await eachFile(found, project, work, io, flags.dryRun)),
    ...hosts.filter(isSkipped).map(notFound),
  ]
  await print(io, told, flags.json, (list, style) => {
    const lines = list.flatMap((file) => [
      `${file.isChanged ? style.good('✓') : '·'} ${file.host.padEnd(12)} ${stateShown(file, work).padEnd(13)} ${file.path}`.trimEnd(),
      ...(file.problem === undefined ? [] : [`    ${file.problem}`]),
      ...(file.lines ?? []).map((line) => `    ${line}`),
    ])
    return `${[...lines, ...notes(list, flags, work)].join('\n')}\n`
  })
}

function notFound(host: HostName): FileState {
  const problem = `not found on this machine; \`precis install ${host}\` installs it anyway`
  return { host, path: '', state: 'not found', isChanged: false, problem }
}

/** The state is the one after the work; the user wants to know what was done. */
function stateShown({ state, isChanged, lines }: FileState, work: Work): string {
  if (lines !== undefined) {
    if (lines.length === 0) return `${state}: nothing would change`
    return work === 'install' ? 'would install' : 'would uninstall'
  }
  return work === 'uninstall' ? (isChanged ? 'uninstalled' : 'was not installed') : state
}

function notes(list: readonly FileState[], { dryRun }: InstallFlags, work: Work): string[] {
  if (dryRun && work !== 'look') return ['Nothing was changed.']
  const isCodex = list.some(({ host, isChanged }) => isChanged && host === 'codex')
  if (!isCodex || work !== 'install') return []
  return [
    'Codex runs no hook that you have not trusted: start codex and type /hooks (docs/hosts/codex.md).',
  ]
}

/** The state of every file after the work. */
export async function eachFile(
  hosts: readonly HostName[],
  project: string | undefined,
  work: Work,
  io: Io,
  isDry = false,
): Promise<FileState[]> {
  const script = await realpath(io.script).catch(() => io.script)
  const place = findHostPlace(io, script, project)
  const records = await readRecords(io)
  if (work === 'look')
    return Promise.all(
      hosts.flatMap((host) => listHostFiles(host, place).map((file) => look(host, file, records))),
    )
  const files = await Promise.all(
    hosts.flatMap((host) =>
      listHostFiles(host, place).map(async (file) => {
        const before = await readIfThere(file.path)
        return { host, file, before, next: nextText(file, before, records, work) }
      }),
    ),
  )
  // Write nothing before every file is known to be changeable.
  const changed = files.filter(({ before, next }) => before !== next)
  for (const { file } of isDry ? [] : changed) await requireWritable(file.path)
  if (!isDry && changed.length > 0) await requireWritable(recordsFile(io))
  const told: FileState[] = []
  for (const { host, file, before, next } of files) {
    if (work === 'install' && !isDry) await install(file, before, records, io)
    if (work === 'uninstall' && !isDry) await uninstall(file, before, records, io)
    const now = await readIfThere(file.path)
    const state = readState(file, now, records[file.path])
    const lines = isDry && { lines: changedLines(before, next) }
    told.push({ host, path: file.path, state, isChanged: now !== before, ...lines })
  }
  return told
}

/**
 * Files are replaced through a sibling, following links, so the folder or its nearest parent must be
 * writable.
 */
async function requireWritable(path: string): Promise<void> {
  const target = await realpath(path).catch(() => undefined)
  if (target === undefined && (await lstat(path).catch(() => undefined))?.isSymbolicLink()) {
    const hint = 'Nothing was changed. Create the file that it leads to, or remove the link.'
    throw new PrecisError('file-unwritable', `${path} is a link that leads nowhere`, {
      where: path,
      hint,
    })
  }
  let folder = dirname(target ?? path)
  while (!(await stat(folder).catch(() => undefined)) && dirname(folder) !== folder)
    folder = dirname(folder)
  try {
    if (!(await stat(folder)).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' })
    await access(folder, constants.W_OK | constants.X_OK)
    if (target !== undefined) await requireUnlocked(target, path)
  } catch (thrown) {
    const known = PrecisError.is(thrown) ? thrown : unwritable(path, thrown)
    const { code, message, hint = '', where = path } = known
    const options = { where, hint: `Nothing was changed. ${hint}`, cause: thrown }
    throw new PrecisError(code, message, options)
  }
}

/** An unreadable file does not hide the others. */
async function look(host: HostName, file: HostFile, records: Records): Promise<FileState> {
  const { path } = file
  try {
    const state = readState(file, await readIfThere(path), records[path])
    return { host, path, state, isChanged: false }
  } catch (thrown) {
    const problem = asPrecisError(thrown).message
    return { host, path, state: 'unreadable', isChanged: false, problem }
  }
}

function chooseHosts(given: readonly string[], { all, status }: InstallFlags): HostName[] {
  if (all || (status && given.length === 0)) return [...HOSTS]
  if (given.length === 0)
    throw new PrecisError('usage', 'no agent is named', {
      hint: `Name one or more of ${HOSTS.join(', ')}, or pass --all.`,
    })
  return given.map((name) => {
    const found = HOSTS.find((host) => host === name)
    if (found) return found
    const near = nearestWord(name, HOSTS)
    throw new PrecisError('usage', `Unknown agent: ${name}`, {
      where: name,
      hint: `${near === undefined ? '' : `Did you mean ${near}? `}Known agents: ${HOSTS.join(', ')}.`,
    })
  })
}

async function install(
  file: HostFile,
  text: string | undefined,
  records: Records,
  io: Io,
): Promise<void> {
  const known = records[file.path]
  const base = withoutOurs(file, text, known)
  const next = withOurs(file, base)
  if (text !== undefined && readState(file, text, known) === 'installed') return
  const folder = dirname(file.path)
  const made = await makeFolder(folder)
  const madeFolder = made ?? known?.madeFolder ?? madeBefore(folder, records)
  const before = known === undefined && file.isHandMade ? text : base
  records[file.path] = {
    before: before ?? null,
    after: computeDigest(next),
    ...(madeFolder !== undefined && { madeFolder }),
  }
  // The backup is on the disk before the file changes.
  await writeRecords(records, io)
  await writeText(file.path, next, io)
}

/** The folder created for another file, if this one is in it, too. */
function madeBefore(folder: string, records: Records): string | undefined {
  return Object.values(records)
    .map(({ madeFolder }) => madeFolder)
    .find((made) => made !== undefined && `${folder}${sep}`.startsWith(`${made}${sep}`))
}

async function uninstall(
  file: HostFile,
  text: string | undefined,
  records: Records,
  io: Io,
): Promise<void> {
  const known = records[file.path]
  const next = withoutTrace(file, text, known)
  if (next === undefined) await rm(file.path, { force: true })
  else if (next !== text) await writeText(file.path, next, io)
  if (known?.madeFolder !== undefined) await removeEmpty(dirname(file.path), known.madeFolder)
  if (known === undefined) return
  delete records[file.path]
  await writeRecords(records, io)
}

/** Removes empty folders from this one up to the topmost created one. */
async function removeEmpty(folder: string, top: string): Promise<void> {
  for (let each = folder; each.startsWith(top); each = dirname(each)) {
    const isGone = await rmdir(each).then(
      () => true,
      () => false,
    )
    if (!isGone) return
  }
}
