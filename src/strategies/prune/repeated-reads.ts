// `repeated-reads`: a file that was read again later, or rewritten
import type { EntryId } from '../../core/edit/change.ts'
import type { FileOperation } from '../../core/ledger/operation.ts'
import { normalPath } from '../../core/ledger/path.ts'
import { asRef } from '../elision.ts'
import { type Elision, type Prune, withText } from './prune-kind.ts'
import { type FileRead, fileRead } from './read-ranges.ts'
import type { ToolUse } from './tool-uses.ts'

/** What later calls show of one file. */
interface Shown {
  readonly asked: Set<string>
  readonly stretches: (readonly [from: number, to: number])[]
  latest: EntryId
  isWritten: boolean
}

/** So many separate stretches of one file are looked at; more are not worth the time. */
const MOST_STRETCHES = 64

/** From the end backwards, so that what covers a read is itself still there. */
export const repeatedReads: Prune = {
  name: 'repeated-reads',
  find({ uses, until }) {
    const files = new Map<string, Shown>()
    const elisions: Elision[] = []
    for (const use of uses.toReversed()) {
      if (use.isFailed) continue
      for (const path of writtenPaths(use)) {
        const shown = shownOf(files, path, use.answerRef)
        shown.isWritten = true
        shown.latest = use.answerRef
      }
      const read = fileRead(use)
      if (!read) continue
      const shown = files.get(read.path)
      const isOnlyText = use.result.content.every(({ text }) => text !== undefined)
      if (shown && use.at < until && isOnlyText && isShownAgain(read, shown))
        elisions.push(withText(use, lineFor(read, shown, use)))
      else if (!use.isElided) add(shownOf(files, read.path, use.ref), read)
    }
    return elisions
  },
}

function shownOf(files: Map<string, Shown>, path: string, ref: EntryId): Shown {
  const shown = files.get(path) ?? {
    asked: new Set(),
    stretches: [],
    latest: ref,
    isWritten: false,
  }
  files.set(path, shown)
  return shown
}

/** Files whose whole content is in the call. */
export function writtenPaths({ intent, isFailed }: ToolUse): string[] {
  if (intent.kind !== 'files' || isFailed) return []
  const isWrite = (operation: FileOperation) => operation.op === 'write'
  return intent.operations
    .filter(isWrite)
    .flatMap((operation) => ('path' in operation ? [normalPath(operation.path.name)] : []))
}

function isShownAgain({ from, to, asked }: FileRead, shown: Shown): boolean {
  if (shown.isWritten || shown.asked.has(asked)) return true
  return shown.stretches.some(([first, last]) => first <= from && to <= last)
}

/** Stretches that touch are one. */
function add(shown: Shown, { from, to, asked }: FileRead): void {
  shown.asked.add(asked)
  if (shown.stretches.length >= MOST_STRETCHES) return
  let [first, last] = [from, to]
  const apart = shown.stretches.filter(([low, high]) => {
    if (high + 1 < first || last + 1 < low) return true
    first = Math.min(first, low)
    last = Math.max(last, high)
    return false
  })
  shown.stretches.length = 0
  for (const stretch of apart) shown.stretches.push(stretch)
  shown.stretches.push([first, last])
}

function lineFor({ path, from, to }: FileRead, shown: Shown, use: ToolUse): string {
  const what = shown.isWritten ? 'written anew' : 'read again'
  return `[Lines ${from} to ${to} of ${path}, ${what} later ${asRef(shown.latest)}; as they were here: ${asRef(use.ref)}]`
}
