// Applies one operation, git commands included, to the known files, using its result.
import type { Json } from '../text/json.ts'
import { cutHead } from '../window/tokens/cut.ts'
import { readFields } from './call-fields.ts'
import {
  ABSENT,
  AS_AT_START,
  type FileRecord,
  type FileTree,
  type StashEntry,
  type Version,
} from './file-record.ts'
import type { FileWork, Place } from './file-work.ts'
import type { FileOperation, GitOperation, Target } from './operation.ts'
import { isBelow } from './path-text.ts'

/** The file an editor has open, named below its output. */
function openFileIn(text: string): { readonly name: string } | undefined {
  const name = /\(Open file: (.{1,1024}?)(?: \(\d+ lines total\))?\)/.exec(text.slice(-2_400))?.[1]
  return name === undefined || name === 'n/a' ? undefined : { name }
}

/** Most tools report whether a written file is new. */
export function told(
  operation: FileOperation,
  text: string,
  metadata: Json | undefined,
): FileOperation {
  if (operation.op === 'edit' && operation.path.name === '')
    return { ...operation, path: openFileIn(text) ?? operation.path }
  if (operation.op !== 'write' || operation.isNew !== undefined) return operation
  const flag = readFields(metadata ?? null).isNew
  if (typeof flag === 'boolean') return { ...operation, isNew: flag }
  const head = text.slice(0, 400)
  if (
    /\b(?:File created|created and wrote to new file|Created (?:new )?file|New file created)\b/i.test(
      head,
    )
  )
    return { ...operation, isNew: true }
  return /has been (?:updated|overwritten)|successfully overwrote|Replaced |File updated/i.test(
    head,
  )
    ? { ...operation, isNew: false }
    : operation
}

/** False if the effect of the operation is unknown. */
export function carryOut(work: FileWork, operation: FileOperation, place: Place): boolean {
  if (operation.op === 'cd') return true
  return isGit(operation) ? applyGit(work, operation, place) : work.apply(operation, place)
}

function isGit(
  operation: FileOperation,
): operation is Extract<FileOperation, { op: `git-${string}` }> {
  return operation.op.startsWith('git-')
}

const MOST_STASHES = 10
const MOST_BRANCHES = 20

/** False if the effect of the operation is unknown. */
function applyGit(work: FileWork, operation: GitOperation, place: Place): boolean {
  switch (operation.op) {
    case 'git-add':
      return forPaths(work, operation.paths, place, (record) =>
        operation.tracked && record.index === ABSENT ? record : { ...record, index: record.work },
      )
    case 'git-unstage':
      return forPaths(work, operation.paths, place, (record) => ({ ...record, index: record.head }))
    case 'git-forget':
      return forPaths(work, operation.paths, place, (record) => ({ ...record, index: ABSENT }))
    case 'git-restore':
      return forPaths(work, operation.paths, place, (record) => {
        const source = operation.fromHead ? record.head : record.index
        return source === ABSENT ? record : withWork(record, source, work.seq)
      })
    case 'git-commit':
      return commit(work, operation, place)
    case 'git-reset-hard':
      forAll(work, (record) => clean(record, work.seq))
      return true
    case 'git-stash':
      return stash(work, operation.untracked === true)
    case 'git-unstash':
      return unstash(work, operation.keep === true)
    case 'git-drop':
      work.tree = { ...work.tree, stashes: work.tree.stashes.slice(0, -1) }
      return true
    case 'git-clean':
      forAll(work, (record) =>
        record.index === ABSENT && record.work !== ABSENT && record.head === ABSENT
          ? withWork(record, ABSENT, work.seq)
          : record,
      )
      return true
    case 'git-switch':
      return switchTo(work, operation.branch, operation.isNew === true)
  }
}

function forAll(work: FileWork, change: (record: FileRecord) => FileRecord): void {
  for (const record of work.tree.files.values()) {
    const changed = change(record)
    if (changed !== record) work.put(changed)
  }
}

/** No paths means all; a folder includes everything below it. */
function forPaths(
  work: FileWork,
  targets: readonly Target[],
  place: Place,
  change: (record: FileRecord) => FileRecord,
): boolean {
  if (targets.length === 0) {
    forAll(work, change)
    return true
  }
  let isAll = true
  for (const target of targets) {
    const paths = work.pathsOf(target, place)
    if (paths === undefined) return false
    isAll &&= paths.isAll
    for (const path of paths.found)
      forAll(work, (record) =>
        record.path === path || isBelow(record.path, path) ? change(record) : record,
      )
  }
  return isAll
}

function withWork(record: FileRecord, version: Version, seq: number): FileRecord {
  return record.work === version ? record : { ...record, work: version, changedAt: seq }
}

/** As in the last commit; untracked files stay. */
function clean(record: FileRecord, seq: number): FileRecord {
  if (record.head === ABSENT && record.index === ABSENT) return record
  return { ...withWork(record, record.head, seq), index: record.head }
}

function commit(
  work: FileWork,
  { all, paths }: Extract<GitOperation, { op: 'git-commit' }>,
  place: Place,
): boolean {
  if (all)
    forAll(work, (record) => (record.index === ABSENT ? record : { ...record, index: record.work }))
  if (paths.length > 0)
    return forPaths(work, paths, place, (record) => ({
      ...record,
      index: record.work,
      head: record.work,
    }))
  forAll(work, (record) =>
    record.head === record.index ? record : { ...record, head: record.index },
  )
  return true
}

function stash(work: FileWork, isAll: boolean): boolean {
  const stashed: StashEntry[] = []
  for (const record of work.tree.files.values()) {
    const { path, head, index, work: version } = record
    const isTracked = head !== ABSENT || index !== ABSENT
    const isChanged = version !== head || index !== head
    // A file staged and then deleted is stashed as staged.
    const isOnlyStaged = head === ABSENT && version === ABSENT
    if (isChanged && (isTracked || isAll))
      stashed.push({ path, work: isOnlyStaged ? index : version, index })
  }
  for (const { path } of stashed) {
    const record = work.at(path)
    if (record) work.put({ ...withWork(record, record.head, work.seq), index: record.head })
  }
  const stashes = [...work.tree.stashes, stashed].slice(-MOST_STASHES)
  work.tree = { ...work.tree, stashes }
  return true
}

function unstash(work: FileWork, keeps: boolean): boolean {
  const stashed = work.tree.stashes.at(-1)
  if (stashed === undefined) return false
  for (const { path, work: version, index } of stashed) {
    const record = work.at(path)
    if (!record) continue
    // A newly staged file is staged again; other changes return unstaged.
    const isNewlyStaged = record.head === ABSENT && index !== ABSENT
    work.put({
      ...withWork(record, version, work.seq),
      index: isNewlyStaged ? index : record.index,
    })
  }
  if (!keeps) work.tree = { ...work.tree, stashes: work.tree.stashes.slice(0, -1) }
  return true
}

function switchTo(work: FileWork, branch: string, isNew: boolean): boolean {
  const { tree } = work
  const left = tree.branch ?? ''
  const name = cutHead(branch, 200)
  const branches = { ...withoutOldest(tree), [left]: listHeads(tree) }
  const heads = Object.hasOwn(tree.branches, name) ? tree.branches[name] : undefined
  work.tree = { ...tree, branch: name, branches }
  if (isNew || name === left) return true
  if (heads === undefined) return false
  const committed = new Map(heads)
  forAll(work, (record) => {
    const head = committed.get(record.path) ?? record.start
    if (head === record.head) return record
    return { ...withWork(record, head, work.seq), head, index: head }
  })
  return true
}

function listHeads(tree: FileTree): (readonly [string, Version])[] {
  const heads: (readonly [string, Version])[] = []
  for (const { path, head, start } of tree.files.values())
    if (head !== (start === ABSENT ? ABSENT : AS_AT_START)) heads.push([path, head])
  return heads
}

function withoutOldest({ branches }: FileTree): FileTree['branches'] {
  const entries = Object.entries(branches)
  return Object.fromEntries(entries.slice(Math.max(0, entries.length - MOST_BRANCHES + 1)))
}
