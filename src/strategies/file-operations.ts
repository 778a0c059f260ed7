// The files that a part of a conversation read and changed, from its tool calls
import type { EventAt } from '../core/log/event.ts'
import { isFields, type Json } from '../core/text/json.ts'
import type { Item } from '../core/view/entry.ts'
import { contentOf } from '../core/view/entry-content.ts'

export interface FileOperations {
  readonly readFiles: readonly string[] // without those that were changed as well
  readonly modifiedFiles: readonly string[]
}

const READS: ReadonlySet<string> = new Set(['read', 'read_file', 'view'])
const WRITES: ReadonlySet<string> = new Set([
  'write',
  'edit',
  'multiedit',
  'write_file',
  'edit_file',
  'str_replace',
])

/** Calls that failed changed nothing. `earlier` is what a former summary knew. */
export function fileOperations(
  items: readonly Item[],
  eventAt: EventAt,
  earlier: FileOperations = { readFiles: [], modifiedFiles: [] },
): FileOperations {
  const read = new Set(earlier.readFiles)
  const modified = new Set(earlier.modifiedFiles)
  items.forEach((item, at) => {
    const content = item.kind === 'answer' ? contentOf(item.id, eventAt) : undefined
    if (content?.kind !== 'answer' || content.calls.length === 0) return
    const failed = failedCalls(items, at + 1, eventAt)
    for (const { id, name, arguments: input } of content.calls) {
      const path = pathIn(input)
      if (path === undefined || failed.has(id)) continue
      if (READS.has(name.toLowerCase())) read.add(path)
      if (WRITES.has(name.toLowerCase())) modified.add(path)
    }
  })
  return {
    readFiles: [...read].filter((path) => !modified.has(path)).toSorted(),
    modifiedFiles: [...modified].toSorted(),
  }
}

/** Of the results right behind an answer. */
function failedCalls(items: readonly Item[], start: number, eventAt: EventAt): Set<string> {
  const failed = new Set<string>()
  for (let at = start; items[at]?.kind === 'result'; at += 1) {
    const content = contentOf((items[at] as Item).id, eventAt)
    if (content?.kind !== 'result' || content.result.status === 'completed') continue
    if (content.result.id !== undefined) failed.add(content.result.id)
  }
  return failed
}

function pathIn(input: Json): string | undefined {
  if (!isFields(input)) return undefined
  const path = [input.path, input.file_path].find((value) => typeof value === 'string')
  return typeof path === 'string' && path.trim() !== '' ? path : undefined
}
