// The patches of `apply_patch`: which files they add, change, move and delete.
import type { FileOperation } from './operation.ts'
import { LONGEST_PATH_CHARS } from './path-text.ts'

const MOST_FILES = 300

const HEADER = /^\*\*\* (Add|Update|Delete) File: (.+)$/

const MOVE = /^\*\*\* Move to: (.+)$/

/** Reads only the lines that name files, wherever the patch is in the text. */
export function patchOperations(text: string): FileOperation[] {
  const operations: FileOperation[] = []
  for (let start = text.indexOf('*** '); start >= 0; start = text.indexOf('\n*** ', start)) {
    if (text[start] === '\n') start += 1
    const end = text.indexOf('\n', start)
    const stop = end === -1 ? text.length : end
    if (stop - start < LONGEST_PATH_CHARS) readLine(text.slice(start, stop).trimEnd(), operations)
    if (end === -1 || operations.length >= MOST_FILES) break
    start = stop
  }
  return operations
}

function readLine(line: string, operations: FileOperation[]): void {
  const [, kind, name = ''] = HEADER.exec(line) ?? []
  const path = { name: name.trim() }
  if (kind === 'Add') operations.push({ op: 'write', path, isNew: true })
  else if (kind === 'Delete') operations.push({ op: 'delete', path })
  else if (kind === 'Update') operations.push({ op: 'edit', path })
  const moved = MOVE.exec(line)?.[1]
  const last = operations.at(-1)
  if (moved !== undefined && last?.op === 'edit')
    operations.push({ op: 'move', path: last.path, to: { name: moved.trim() } })
}
