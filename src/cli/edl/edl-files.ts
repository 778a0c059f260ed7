// The files of one folder for a script: read from the disk, written only at the end.
import { lstat, rm } from 'node:fs/promises'
import { PrecisError } from '../../core/errors.ts'
import { DEFAULT_LIMITS, type FileIO } from '../../edl/script.ts'
import { isErrno, namingFile } from '../../tools/files/file-errors.ts'
import { openInWorkspace } from '../../tools/files/open-file.ts'
import { type FileMark, replaceFile } from '../../tools/files/write-file.ts'
import { isInside, type Place, type Workspace } from '../../tools/workspace.ts'

/** A file the script changed or created, with its old content. */
export interface PlannedFile {
  readonly path: string // as the script names it
  readonly before: string | undefined // undefined for a new file
  readonly after: string
}

interface ReadFile {
  readonly text: string
  readonly mark: FileMark
}

/** The most UTF-8 bytes per UTF-16 code unit. */
const BYTES_PER_CHAR = 3

export class FolderFiles implements FileIO {
  readonly #workspace: Workspace
  readonly #read = new Map<string, ReadFile>()
  /** Device and inode of a file, or the place of a new one → its path. */
  readonly #names = new Map<string, string>()
  readonly #planned: PlannedFile[] = []

  constructor(workspace: Workspace) {
    this.#workspace = workspace
  }

  get planned(): readonly PlannedFile[] {
    return this.#planned
  }

  async readFile(path: string): Promise<string> {
    const { place, file } = await openInWorkspace(this.#workspace, this.#asName(path))
    try {
      return await namingFile(place.name, async () => {
        const stats = await file.stat({ bigint: true })
        this.#claim(`${stats.dev}:${stats.ino}`, path)
        if (stats.size > BigInt(DEFAULT_LIMITS.fileChars * BYTES_PER_CHAR)) throw tooLarge(place)
        const text = decode(await file.readFile(), place)
        this.#read.set(path, { text, mark: stats })
        return text
      })
    } finally {
      await file.close()
    }
  }

  /** True for other things than files as well: they must not be replaced. */
  async fileExists(path: string): Promise<boolean> {
    const place = await this.#workspace.locate(this.#asName(path))
    this.#claim(place.path, path)
    return lstat(place.path).then(
      () => true,
      (error: unknown) => {
        if (isErrno(error) && error.code === 'ENOENT') return false
        throw error
      },
    )
  }

  async writeFile(path: string, text: string): Promise<void> {
    this.#planned.push({ path, before: this.#read.get(path)?.text, after: text })
  }

  async mkdir(_path: string): Promise<void> {
    // `commit` creates folders with their first file.
  }

  /** Writes the changes. If one file fails, restores those already written. */
  async commit(): Promise<void> {
    const written: PlannedFile[] = []
    try {
      for (const file of this.#planned) {
        const { path, after } = file
        const mark = this.#read.get(path)?.mark
        if (mark === undefined && (await this.fileExists(path))) throw appeared(path)
        await replaceFile(this.#workspace, this.#asName(path), after, mark)
        written.push(file)
      }
    } catch (error) {
      for (const { path, before } of written.toReversed()) await this.#restore(path, before)
      throw error
    }
  }

  async #restore(path: string, before: string | undefined): Promise<void> {
    if (before !== undefined) await replaceFile(this.#workspace, this.#asName(path), before)
    else await rm((await this.#workspace.locate(this.#asName(path))).path)
  }

  /** `/notes.md` is relative to the folder, unless it starts with the folder's full path. */
  #asName(path: string): string {
    return isInside(this.#workspace.root, path) ? path : path.replace(/^\/+/, '') || '.'
  }

  /** Under two names a file would be edited twice and lose one edit. */
  #claim(identity: string, path: string): void {
    const name = this.#names.get(identity) ?? path
    if (name !== path)
      throw new PrecisError('invalid-input', `${path} is the same file as ${name}.`, {
        hint: 'Use one name for it in the whole script.',
      })
    this.#names.set(identity, path)
  }
}

function decode(bytes: Uint8Array, { name }: Place): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new PrecisError('invalid-input', `${name} is not text in UTF-8.`, { cause })
  }
}

function tooLarge({ name }: Place): PrecisError {
  return new PrecisError('invalid-input', `${name} is too large: it has more than 30 MB.`)
}

function appeared(path: string): PrecisError {
  return new PrecisError('file-unwritable', `${path} was created in the meantime.`, {
    where: path,
    hint: 'Nothing was written. Use `file` to edit the existing file.',
  })
}
