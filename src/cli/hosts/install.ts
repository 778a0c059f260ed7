// `precis install`, `precis uninstall`: an agent's own configuration, changed with a backup and put back to the byte
import { createHash } from 'node:crypto'
import { mkdir, realpath, rm, rmdir } from 'node:fs/promises'
import { dirname, sep } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { asPrecisError, PrecisError } from '../../core/errors.ts'
import { nearestWord } from '../../core/text/words.ts'
import type { Io } from '../process-io.ts'
import { writeText } from '../terminal/io.ts'
import { print } from '../terminal/terminal.ts'
import type { HostFile } from './host-file.ts'
import { filesOf, HOSTS, type HostName, placeOf } from './host-files.ts'
import { type Records, readIfThere, readRecords, writeRecords } from './install-records.ts'

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
  readonly state: 'installed' | 'not installed' | 'outdated' | 'unreadable'
  readonly isChanged: boolean
  /** Why it is unreadable. */
  readonly problem?: string
  /** Of a dry run: the lines that would be added (+) and removed (-). */
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

type Work = 'look' | 'install' | 'uninstall'

async function changeHosts(
  given: readonly string[],
  flags: InstallFlags,
  io: Io,
  work: Work,
): Promise<void> {
  const hosts = hostsOf(given, flags)
  const project = flags.project ? io.cwd : undefined
  const told = await eachFile(hosts, project, work, io, flags.dryRun)
  await print(io, told, flags.json, (list, style) => {
    const lines = list.flatMap(({ host, path, state, isChanged, problem, lines: changes = [] }) => [
      `${isChanged ? style.good('✓') : '·'} ${host.padEnd(12)} ${state.padEnd(13)} ${path}`,
      ...(problem === undefined ? [] : [`    ${problem}`]),
      ...changes.map((line) => `    ${line}`),
      ...(flags.dryRun && changes.length === 0 ? ['    nothing would change'] : []),
    ])
    const hints =
      list.some(({ host, isChanged }) => isChanged && host === 'codex') && work === 'install'
        ? [
            'Codex runs no hook that you have not trusted: start codex and type /hooks (docs/hosts/codex.md).',
          ]
        : []
    return `${[...lines, ...hints].join('\n')}\n`
  })
}

/** The state of every file, after the work. */
export async function eachFile(
  hosts: readonly HostName[],
  project: string | undefined,
  work: Work,
  io: Io,
  isDry = false,
): Promise<FileState[]> {
  const script = await realpath(io.script).catch(() => io.script)
  const place = placeOf(io, script, project)
  const records = await readRecords(io)
  if (work === 'look')
    return Promise.all(
      hosts.flatMap((host) => filesOf(host, place).map((file) => look(host, file, records))),
    )
  const files = await Promise.all(
    hosts.flatMap((host) =>
      filesOf(host, place).map(async (file) => {
        const before = await readIfThere(file.path)
        return { host, file, before, next: nextText(file, before, records, work) }
      }),
    ),
  )
  // Nothing is written before every file is known to be one that can be changed.
  const told: FileState[] = []
  for (const { host, file, before, next } of files) {
    if (work === 'install' && !isDry) await install(file, before, records, io)
    if (work === 'uninstall' && !isDry) await uninstall(file, before, records, io)
    const now = await readIfThere(file.path)
    const state = stateOf(file, now, records[file.path])
    const lines = isDry && { lines: changedLines(before, next) }
    told.push({ host, path: file.path, state, isChanged: now !== before, ...lines })
  }
  return told
}

/** A file that cannot be read hides none of the others. */
async function look(host: HostName, file: HostFile, records: Records): Promise<FileState> {
  const { path } = file
  try {
    const state = stateOf(file, await readIfThere(path), records[path])
    return { host, path, state, isChanged: false }
  } catch (thrown) {
    const problem = asPrecisError(thrown).message
    return { host, path, state: 'unreadable', isChanged: false, problem }
  }
}

function nextText(
  file: HostFile,
  before: string | undefined,
  records: Records,
  work: Work,
): string | undefined {
  const known = records[file.path]
  if (work === 'uninstall') return withoutTrace(file, before, known)
  if (stateOf(file, before, known) === 'installed') return before
  return withOurs(file, withoutOurs(file, before, known))
}

function changedLines(before = '', next = ''): string[] {
  const [was, is] = [before.split('\n'), next.split('\n')]
  const [wasThere, isThere] = [new Set(was), new Set(is)]
  return [
    ...was.filter((line) => !isThere.has(line)).map((line) => `- ${line}`),
    ...is.filter((line) => !wasThere.has(line)).map((line) => `+ ${line}`),
  ]
}

function hostsOf(given: readonly string[], { all, status }: InstallFlags): HostName[] {
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
  if (text !== undefined && stateOf(file, text, known) === 'installed') return
  const folder = dirname(file.path)
  const made = await mkdir(folder, { recursive: true })
  const madeFolder = made ?? known?.madeFolder ?? madeBefore(folder, records)
  const before = known === undefined && file.isHandMade ? text : base
  records[file.path] = {
    before: before ?? null,
    after: digestOf(next),
    ...(madeFolder !== undefined && { madeFolder }),
  }
  // The backup is on the disk before the file is touched.
  await writeRecords(records, io)
  await writeText(file.path, next, io)
}

/** The folder that was made for another file, where this one lies in it as well. */
function madeBefore(folder: string, records: Records): string | undefined {
  return Object.values(records)
    .map(({ madeFolder }) => madeFolder)
    .find((made) => made !== undefined && `${folder}${sep}`.startsWith(`${made}${sep}`))
}

/** What was there before may hold a part that looks like ours: there is one of it only. */
function withOurs(file: HostFile, base: string | undefined): string {
  return file.add(base === undefined ? undefined : file.remove(base))
}

/** The file as it was, where nothing else changed it since; else without what is ours. */
function withoutOurs(
  file: HostFile,
  text: string | undefined,
  known: Records[string] | undefined,
): string | undefined {
  if (text === undefined) return undefined
  if (known && digestOf(text) === known.after) return known.before ?? undefined
  return file.remove(text)
}

/** What the agent itself wrote about précis goes as well; where nothing else is left of its changes, every byte is as it was. */
function withoutTrace(
  file: HostFile,
  text: string | undefined,
  known: Records[string] | undefined,
): string | undefined {
  const left = withoutOurs(file, text, known)
  const next = left === undefined ? undefined : (file.forget?.(left) ?? left)
  if (next === undefined || known === undefined) return next
  const before = known.before ?? ''
  return file.isSame?.(next, before) ? (known.before ?? undefined) : next
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
  delete records[file.path]
  await writeRecords(records, io)
}

/** From this folder up to the one that was made first, as far as they are empty. */
async function removeEmpty(folder: string, top: string): Promise<void> {
  for (let each = folder; each.startsWith(top); each = dirname(each)) {
    const isGone = await rmdir(each).then(
      () => true,
      () => false,
    )
    if (!isGone) return
  }
}

function stateOf(
  file: HostFile,
  text: string | undefined,
  known: Records[string] | undefined,
): FileState['state'] {
  if (text === undefined) return 'not installed'
  const base = withoutOurs(file, text, known)
  if (base === text) return 'not installed'
  try {
    const isSame = file.isSame ?? isSameText
    return isSame(withOurs(file, base), text) ? 'installed' : 'outdated'
  } catch (thrown) {
    if (PrecisError.is(thrown)) return 'outdated' // ours, beside a part of the same name that is not
    throw thrown
  }
}

/** Agents write their own files again, in another order and with other spaces. */
function isSameText(one: string, other: string): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(one), JSON.parse(other))
  } catch {
    return one === other
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
