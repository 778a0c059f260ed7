// The files that `compact` carries over: their content now, or why it cannot be shown.
import { PrecisError } from '../../core/errors.ts'
import { cutHead } from '../../core/window/tokens/cut.ts'
import { isErrno } from '../files/file-errors.ts'
import { openInWorkspace, readFileKind } from '../files/open-file.ts'
import { binaryFile } from '../files/read.ts'
import { count } from '../process/limit-output.ts'
import type { Workspace } from '../workspace.ts'

export type ContextFile =
  | { readonly path: string; readonly content: string }
  | { readonly path: string; readonly error: string }

export interface ContextFileLimits {
  readonly totalChars: number
  readonly files: number
}

const LIMITS: ContextFileLimits = { totalChars: 100_000, files: 100 }

/** Each file once, in the order given, under the path as it was given. Never rejects for a file. */
export async function readContextFiles(
  workspace: Workspace,
  paths: readonly string[],
  { totalChars, files: maxFiles }: ContextFileLimits = LIMITS,
): Promise<ContextFile[]> {
  const files: ContextFile[] = []
  const seen = new Set<string>()
  let left = totalChars
  for (const path of paths) {
    const name = workspace.nameOf(path)
    if (seen.has(name)) continue
    seen.add(name)
    if (files.length >= maxFiles || left <= 0) {
      const limit = left <= 0 ? `${count(totalChars)} characters` : `${count(maxFiles)} files`
      files.push({ path, error: `left out: no more than ${limit} are carried over; read it again` })
      continue
    }
    const file = await readOne(workspace, path, left)
    if ('content' in file) left -= file.content.length
    files.push(file)
  }
  return files
}

/** Bytes of UTF-8 that a character may have. */
const MAX_CHAR_BYTES = 4

async function readOne(workspace: Workspace, path: string, room: number): Promise<ContextFile> {
  try {
    const { place, file } = await openInWorkspace(workspace, path)
    try {
      const { size } = await file.stat()
      const start = Buffer.alloc(Math.min(size, room * MAX_CHAR_BYTES))
      const { bytesRead } = await file.read(start, 0, start.length, 0)
      const bytes = start.subarray(0, bytesRead)
      if (readFileKind(bytes).kind !== 'text') throw binaryFile(place.name)
      const text = new TextDecoder().decode(bytes, { stream: true })
      if (text.length <= room && bytesRead >= size) return { path, content: text }
      const head = cutHead(text, room)
      const rest = `[cut here: all files together may have no more; the file has ${count(size)} bytes]`
      return { path, content: `${head}\n${rest}` }
    } finally {
      await file.close()
    }
  } catch (error) {
    if (isErrno(error) || PrecisError.is(error)) return { path, error: error.message }
    throw error
  }
}
