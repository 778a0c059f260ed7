// Applies operations to the known files, using only the log.
import { matchesPath } from '../text/patterns.ts'
import {
  ABSENT,
  AS_AT_START,
  type FileRecord,
  type FileTree,
  type FolderRecord,
  isOnlySeen,
  readRecord,
} from './file-record.ts'
import type { FileOperation, Target } from './operation.ts'
import {
  baseName,
  fromRoot,
  isAbsolute,
  isBelow,
  joinPath,
  readFolder,
  resolvePath,
} from './path-text.ts'

/** Where a command works: root and folder; undefined if unknown. */
export interface Place {
  readonly root?: string
  readonly folder: string | undefined
  readonly folderName?: string // as written
  /** The target of `cd -`. */
  readonly before?: Omit<Place, 'before'>
  /** The stack of `popd`, last one last. */
  readonly pushed?: readonly Place[]
}

const MOST_FILES = 4_000
const MOST_FOLDERS = 1_000

/** A tree during one event. Not shared: the original tree is unchanged. */
export class FileWork {
  tree: FileTree
  readonly seq: number

  constructor(tree: FileTree, seq: number) {
    this.tree = tree
    this.seq = seq
  }

  at(path: string): FileRecord | undefined {
    return this.tree.files.get(path)
  }

  put(record: FileRecord): void {
    if (this.tree.files.size >= MOST_FILES && !this.at(record.path)) {
      if (isOnlySeen(record)) {
        this.tree = { ...this.tree, isPartial: true }
        return
      }
      this.#makeRoom()
    }
    this.tree = { ...this.tree, files: this.tree.files.with(record.path, record) }
  }

  /** Drops the least informative tenth: files only seen first, then the oldest. */
  #makeRoom(): void {
    const weight = (record: FileRecord) => Math.max(record.readAt ?? 0, record.changedAt ?? 0)
    const records = [...this.tree.files.values()].sort((a, b) => weight(b) - weight(a))
    this.tree = {
      ...this.tree,
      isPartial: true,
      files: this.tree.files.keeping(records.slice(0, Math.floor(MOST_FILES * 0.9))),
    }
  }

  newVersion(): number {
    const versions = this.tree.versions + 1
    this.tree = { ...this.tree, versions }
    return versions
  }

  /** False if the effect of the operation is unknown. */
  apply(operation: Exclude<FileOperation, { op: 'cd' | `git-${string}` }>, place: Place): boolean {
    const paths = this.pathsOf(operation.path, place)
    if (paths === undefined) return false
    for (const path of paths.found) this.#applyTo(operation, path, place)
    return paths.isAll
  }

  #applyTo(
    operation: Exclude<FileOperation, { op: 'cd' | `git-${string}` }>,
    path: string,
    place: Place,
  ): void {
    switch (operation.op) {
      case 'read':
        this.put({ ...this.#known(path, operation.path, place, 1), readAt: this.seq })
        return
      case 'write':
        this.#write(path, operation.path, place, operation.isNew)
        return
      case 'edit':
        this.#change(this.#known(path, operation.path, place, 1))
        return
      case 'append':
        this.#change(this.#guess(path, operation.path, place, 1))
        return
      case 'touch': {
        const record = this.#guess(path, operation.path, place, 0)
        if (record.work === ABSENT) this.#change(record)
        else if (!this.at(path)) this.put(record)
        return
      }
      case 'delete':
        this.#delete(path, operation, place)
        return
      case 'folder':
        this.#addFolder(path, operation.isNew)
        return
      default:
        this.#transfer(path, operation, place)
    }
  }

  /** The paths of a word. For a pattern, the known matches, and whether they are complete. */
  pathsOf(
    target: Target,
    { root, folder }: Place,
  ): { readonly found: readonly string[]; readonly isAll: boolean } | undefined {
    if (target.name === '' || (folder === undefined && !isAbsolute(target.name))) return undefined
    const path = fromRoot(root, resolvePath(folder ?? '', target.name))
    if (!target.glob) return { found: [path], isAll: true }
    if (/[?[]/.test(path)) return { found: [], isAll: false }
    const found = this.#matching(path.replaceAll('**', '*'))
    return { found, isAll: found.length > 0 && this.#isShown(readFolder(path)) }
  }

  #matching(pattern: string): string[] {
    const depth = pattern.split('/').length
    const found = new Set<string>()
    for (const { path, work } of this.tree.files.values()) {
      if (work === ABSENT) continue
      const candidate = path.split('/').slice(0, depth).join('/')
      const isHidden = baseName(candidate).startsWith('.') && !baseName(pattern).startsWith('.')
      if (!isHidden && !found.has(candidate) && matchesPath(pattern, candidate))
        found.add(candidate)
    }
    return [...found].sort()
  }

  below(folder: string): FileRecord[] {
    const records: FileRecord[] = []
    for (const record of this.tree.files.values())
      if (record.work !== ABSENT && isBelow(record.path, folder)) records.push(record)
    return records.sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  #addFolder(path: string, isNew?: true): void {
    if (path !== '') this.putFolder({ path, ...(isNew && !this.#isFolder(path) && { isNew }) })
  }

  putFolder(folder: FolderRecord): void {
    const { folders } = this.tree
    if (folders.size >= MOST_FOLDERS && !folders.get(folder.path)) return
    const known = folders.get(folder.path)
    this.tree = { ...this.tree, folders: folders.with(folder.path, { ...known, ...folder }) }
  }

  #isFolder(path: string): boolean {
    if (path === '' || this.tree.folders.get(path)) return true
    for (const record of this.tree.files.values()) if (isBelow(record.path, path)) return true
    return false
  }

  /** The whole content of the folder was shown, or created by logged commands. */
  #isShown(folder: string): boolean {
    if (this.tree.isPartial) return false
    for (let path = folder; ; path = readFolder(path)) {
      const known = this.tree.folders.get(path)
      if (known?.isNew || known?.shown === 'all') return true
      if (known?.shown === 'files' && path === folder) return true
      if (path === '' || path === '/') return false
    }
  }

  #named(path: string, { name, isComposed, glob }: Target, place: Place) {
    if (glob) return { name: this.at(path)?.name ?? '' }
    if (isComposed || path === name || name.endsWith(`/${path}`))
      return { name: isComposed ? '' : path }
    return place.folder && place.folderName !== undefined && !isAbsolute(name)
      ? { name, folder: place.folderName }
      : { name }
  }

  /** The record of a file that certainly existed before. */
  #known(path: string, target: Target, place: Place, start: 0 | 1): FileRecord {
    const { folder: _, ...known } = this.at(path) ?? readRecord(path, start, true)
    // Something outside the log created it.
    const work = known.work === ABSENT ? this.newVersion() : known.work
    return { ...known, work, ...this.#named(path, target, place) }
  }

  /** The same if its existence is uncertain; `otherwise` applies without evidence. */
  #guess(path: string, target: Target, place: Place, otherwise: 0 | 1): FileRecord {
    const known = this.at(path)
    const isKnownAbsent = !known && this.#isKnownAbsent(path)
    const { folder: _, ...record } =
      known ?? readRecord(path, isKnownAbsent ? 0 : otherwise, isKnownAbsent)
    return { ...record, ...this.#named(path, target, place) }
  }

  #isKnownAbsent(path: string): boolean {
    return !baseName(path).startsWith('.') && this.#isShown(readFolder(path))
  }

  #write(path: string, target: Target, place: Place, isNew: boolean | undefined): void {
    const guessed = this.#guess(path, target, place, 0)
    const isFirst = guessed.changedAt === undefined && !(guessed.isSure && this.at(path))
    if (isNew === undefined || !isFirst) this.#change(guessed)
    else this.#change({ ...readRecord(path, isNew ? 0 : 1, true), ...keepNames(guessed) })
  }

  #change(record: FileRecord): void {
    this.put({ ...record, work: this.newVersion(), changedAt: this.seq })
  }

  #delete(
    path: string,
    { path: target, isDeep, isForced }: Extract<FileOperation, { op: 'delete' }>,
    place: Place,
  ): void {
    const known = this.at(path)
    const below = isDeep ? this.below(path) : []
    for (const record of below) this.put({ ...record, work: ABSENT, changedAt: this.seq })
    if (known) {
      if (known.work !== ABSENT) this.put({ ...known, work: ABSENT, changedAt: this.seq })
    } else if (below.length === 0 && !this.#isFolder(path) && !this.#isKnownAbsent(path)) {
      const record = readRecord(path, 1, !isForced)
      const named = this.#named(path, target, place)
      this.put({ ...record, ...named, work: ABSENT, changedAt: this.seq })
    }
  }

  #transfer(
    path: string,
    operation: Extract<FileOperation, { op: 'move' | 'copy' }>,
    place: Place,
  ): void {
    const end = this.pathsOf(operation.to, place)?.found[0]
    if (end === undefined) return
    const isInto =
      !operation.isContents &&
      (operation.into || operation.to.name.endsWith('/') || this.#isFolder(end))
    const to = isInto ? joinPath(end, baseName(path)) : end
    const named = this.#named(end, operation.to, place)
    if (!this.at(path) && this.below(path).length > 0) {
      for (const record of this.below(path))
        this.#transferFile(record, `${to}${record.path.slice(path.length)}`, operation, named)
      this.putFolder({ path: to, ...(!this.#isFolder(to) && { isNew: true }) })
      return
    }
    const source = this.#known(path, operation.path, place, 1)
    this.#transferFile(source, to, operation, named)
  }

  #transferFile(
    source: FileRecord,
    to: string,
    { op }: Extract<FileOperation, { op: 'move' | 'copy' }>,
    named: { readonly name: string; readonly folder?: string },
  ): void {
    if (source.path === to) return
    const moved = source.work === AS_AT_START ? source.path : source.work
    const target = this.at(to) ?? readRecord(to, 0, this.#isKnownAbsent(to))
    const origin = source.start === ABSENT ? source.from : source.path
    const { from: _, isCopy: __, ...rest } = target
    const isCopy = op === 'copy' || (source.start === ABSENT && source.isCopy === true)
    this.put({
      ...rest,
      ...named,
      work: moved === to ? AS_AT_START : moved,
      changedAt: this.seq,
      // Copies included: if the original is deleted, it was a move in two steps.
      ...(origin !== undefined && origin !== to && { from: origin, ...(isCopy && { isCopy }) }),
    })
    if (op === 'move') this.put({ ...source, work: ABSENT, changedAt: this.seq })
    else if (!this.at(source.path)) this.put(source)
  }
}

function keepNames({ name, folder, readAt }: FileRecord) {
  return { name, ...(folder && { folder }), ...(readAt !== undefined && { readAt }) }
}
