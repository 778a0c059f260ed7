// Evidence about files in outputs: directory listings and git status.
import { ABSENT, AS_AT_START, type FileRecord, readRecord } from './file-record.ts'
import type { FileWork, Place } from './file-work.ts'
import type { Shows } from './operation.ts'
import { fromRoot, LONGEST_PATH_CHARS, resolvePath } from './path-text.ts'

const MOST_LINES = 5_000
/** Git has a version that differs from the file's start; its content is unknown. */
const ANOTHER = -1

export function noteListing(
  work: FileWork,
  output: string,
  shows: Extract<Shows, { kind: 'paths' }>,
  place: Place,
): void {
  if (place.folder === undefined) return
  const lines = output.split('\n', MOST_LINES + 1).map((line) => line.trimEnd())
  const folder = fromRoot(place.root, resolvePath(place.folder, shows.folder))
  const base = shows.isBare ? resolvePath(place.folder, shows.folder) : place.folder
  let isWhole = lines.length <= MOST_LINES && !shows.isPartly
  for (const line of lines) {
    if (line === '' || line === '.' || line === '..') continue
    const path = isPathLine(line) ? fromRoot(place.root, resolvePath(base, line)) : undefined
    // Without a dot it may be a folder, or a note about omitted lines.
    if (path === undefined || (shows.isBare && !/[./]/.test(line))) isWhole = false
    else if (line.endsWith('/')) work.putFolder({ path })
    else if (path !== '' && !work.at(path)) work.put(namedRecord(path, line, shows.isBare))
  }
  if (isWhole) work.putFolder({ path: folder, shown: shows.isDeep ? 'all' : 'files' })
}

function namedRecord(path: string, line: string, isBare: true | undefined): FileRecord {
  const record = readRecord(path, 1, true)
  return line.endsWith(path) ? record : { ...record, name: isBare ? '' : line }
}

/** Not a sentence, a heading or a match with its line. */
function isPathLine(line: string): boolean {
  return line.length <= LONGEST_PATH_CHARS && !/^[[\s]|[:*?"<>|\]]/.test(line)
}

/** Paths found by a search exist; others are unknown. */
export function noteFound(work: FileWork, output: string, place: Place): void {
  noteListing(work, output, { kind: 'paths', folder: '', isDeep: false, isPartly: true }, place)
}

interface Status {
  readonly branch?: string
  readonly changed: ReadonlyMap<string, string> // two-letter status by path
  readonly renamed: readonly (readonly [from: string, to: string])[]
}

/** Adopts git's report of changes. `isSince`: new entries were made since its last report. */
export function noteStatus(work: FileWork, output: string, place: Place, isSince: boolean): void {
  const status = readStatus(output)
  if (status === undefined) return
  if (status.branch !== undefined) work.tree = { ...work.tree, branch: status.branch }
  if (place.folder !== '') return
  if (isSince) for (const [from, to] of status.renamed) noteRenamed(work, from, to)
  for (const [path, letters] of status.changed) noteChanged(work, path, letters, isSince)
  for (const record of work.tree.files.values()) {
    const isTracked = record.head !== ABSENT || record.index !== ABSENT
    if (isTracked && !status.changed.has(record.path) && record.work !== record.head)
      work.put({ ...record, work: record.head, index: record.head, changedAt: work.seq })
  }
  work.tree = { ...work.tree, statusAt: work.seq }
}

function noteRenamed(work: FileWork, from: string, to: string): void {
  const [source, target] = [work.at(from) ?? readRecord(from, AS_AT_START, true), work.at(to)]
  if (target !== undefined && target.work !== ABSENT && source.work === ABSENT) return
  const changedAt = work.seq
  const record = target ?? readRecord(to, ABSENT, true)
  work.put({ ...source, work: ABSENT, index: ABSENT, changedAt })
  work.put({ ...record, work: work.newVersion(), index: work.tree.versions, from, changedAt })
}

function noteChanged(work: FileWork, path: string, letters: string, isSince: boolean): void {
  if (path.endsWith('/') || letters.includes('R')) return
  const known = work.at(path)
  if (known !== undefined) work.put(corrected(work, known, letters))
  else if (!isSince) work.put(unknownBefore(path, letters))
  else
    work.put({
      ...readRecord(path, letters === '??' ? ABSENT : AS_AT_START, true),
      work: letters.includes('D') ? ABSENT : work.newVersion(),
      changedAt: work.seq,
    })
}

/** Probably changed before the log began. */
function unknownBefore(path: string, letters: string): FileRecord {
  const isUntracked = letters === '??'
  const isGone = letters.includes('D')
  const git = isUntracked ? ABSENT : ANOTHER
  return { ...readRecord(path, isGone ? 0 : 1, true), head: git, index: git }
}

function withoutFile(record: FileRecord, seq: number): FileRecord {
  return record.work === ABSENT ? record : { ...record, work: ABSENT, changedAt: seq }
}

function corrected(work: FileWork, record: FileRecord, letters: string): FileRecord {
  if (letters === 'AD') return withoutFile(record, work.seq)
  const isUntracked = letters === '??' || letters.startsWith('A')
  if (letters.includes('D') && record.work !== ABSENT && !isUntracked)
    return withoutFile(record, work.seq)
  if (isUntracked) {
    if (record.work === ABSENT) return { ...record, work: work.newVersion(), changedAt: work.seq }
    if (record.isSure || record.changedAt === undefined) return record
    return { ...record, start: ABSENT, isSure: true, head: ABSENT }
  }
  if (!letters.includes('M')) return record
  // It seemed new, but git has had it all along.
  if (record.start === ABSENT && !record.isSure && record.head === ABSENT)
    return { ...record, start: 1, isSure: true, head: AS_AT_START, index: AS_AT_START }
  return record.work === record.head
    ? { ...record, work: work.newVersion(), changedAt: work.seq }
    : record
}

const LONG_LETTERS: Readonly<Record<string, string>> = {
  modified: ' M',
  'both modified': ' M',
  deleted: ' D',
  'new file': 'A ',
  renamed: 'R ',
}

/** Undefined if the report is incomplete. */
function readStatus(output: string): Status | undefined {
  const changed = new Map<string, string>()
  const renamed: [string, string][] = []
  let branch: string | undefined
  let isUntracked = false
  for (const line of output.split('\n', MOST_LINES)) {
    const named = /^(?:On branch |## )([^\s.]+(?:\.[^\s.]+)*)/.exec(line)?.[1]
    if (named !== undefined) branch = named
    if (/^\S.*:$/.test(line)) isUntracked = line.startsWith('Untracked')
    const short = /^(?! {2})([ MADRCU?]{2}) (?! )(.{1,1024})$/.exec(line)
    const long = /^\t(?:(modified|both modified|deleted|new file|renamed): +)?(\S.{0,1023})$/.exec(
      line,
    )
    const letters = short?.[1] ?? (long ? longLetters(long[1], isUntracked) : undefined)
    const path = short?.[2] ?? long?.[2]
    if (letters === undefined || path === undefined) continue
    // One path, or old and new name.
    const names = (letters.includes('R') ? path.split(' -> ', 2) : [path]).map(unquoted)
    if (names.some((name) => name === undefined)) return undefined
    const [from = '', to = ''] = names
    for (const name of to === '' ? [from] : [from, to])
      changed.set(name, bothLetters(changed.get(name), letters))
    if (to !== '') renamed.push([from, to])
  }
  if (changed.size === 0 && branch === undefined && output.trim() !== '') return undefined
  return { ...(branch !== undefined && { branch }), changed, renamed }
}

/** The long form lists staged and unstaged changes separately. */
function bothLetters(first: string | undefined, letters: string): string {
  return first === undefined ? letters : `${first[0]}${letters[1]}`
}

/** Git quotes names with blanks, and writes other scripts as numbers. */
function unquoted(name: string): string | undefined {
  if (!name.startsWith('"')) return name
  const inside = name.slice(1, -1)
  return /\\(?!["\\])/.test(inside) ? undefined : inside.replace(/\\(["\\])/g, '$1')
}

function longLetters(kind: string | undefined, isUntracked: boolean): string | undefined {
  if (kind !== undefined) return LONG_LETTERS[kind]
  return isUntracked ? '??' : undefined
}
