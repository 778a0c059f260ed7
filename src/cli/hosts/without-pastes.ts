// A message without what was pasted and set apart in it; `typedLines` finds more, but takes longer to load than a host should wait
import {
  FENCE,
  findPasteStart,
  INLINE,
  isQuoting,
  lastClosings,
  QUOTED,
  TAG,
} from '../../core/constraints/paste-marks.ts'

/** The head of a mail: what follows is of whoever wrote it, and nothing says where it ends. */
const MAIL =
  /^(?:(?:From|Von|De): .*@|-{2,} ?(?:Forwarded|Original) message|On .*\d.*(?<! I) wrote:\s*$|Am .*\d.* schrieb .*:\s*$)/i

const HEAD_CHARS = 300

/** A mark stands in its place. */
const GAP = '…'

/** No fences, quotations, tags and mails. Its lines should not be much longer than people write them. */
export function withoutPastes(text: string): string {
  const lines = text.split(/\r?\n/)
  const closings = text.includes('</') ? lastClosings(lines) : NONE
  const kept: string[] = []
  let index = 0
  let inQuotation = false
  let above = ''
  while (index < lines.length) {
    const line = lines[index] ?? ''
    const end = findEnd(lines, index, closings)
    const start = end > index ? undefined : findPasteStart(line, above)
    inQuotation = isQuoting(line, inQuotation && !FENCE.test(line))
    const typed = end > index || inQuotation ? GAP : line.slice(0, start)
    kept.push(closings === NONE ? typed : typed.replaceAll(INLINE, GAP))
    if (start !== undefined) break
    if (line.trim() !== '') above = line
    index = Math.max(end, index + 1)
  }
  return withoutOuterGaps(kept).join('\n')
}

const NONE: ReadonlyMap<string, number> = new Map()

/** Behind the last line of what is set apart here; the line itself where nothing is. */
function findEnd(
  lines: readonly string[],
  index: number,
  closings: ReadonlyMap<string, number>,
): number {
  const line = lines[index] ?? ''
  const fence = FENCE.exec(line)?.[1]
  if (fence !== undefined) {
    let end = index + 1
    while (end < lines.length && !closes(lines[end] ?? '', fence)) end += 1
    return end + 1
  }
  if (QUOTED.test(line)) return index + 1
  if (MAIL.test(line.slice(0, HEAD_CHARS))) return lines.length
  const [, name, other] = TAG.exec(line) ?? []
  if (name === undefined) return index
  const closing = closings.get(name) ?? -1
  if (closing > index) return closing + 1
  return closing < index && other === '' ? lines.length : index
}

function closes(line: string, fence: string): boolean {
  return line.includes(fence) && /^\s*([`~])\1+\s*$/.test(line)
}

/** One mark for several in a row, and none at the ends. */
function withoutOuterGaps(lines: readonly string[]): string[] {
  const said = lines.filter((line) => line.trim() !== '')
  const isWord = (line: string | undefined) => line !== undefined && line.trim() !== GAP
  const last = said.findLastIndex(isWord)
  return said
    .slice(0, last + 1)
    .filter((line, at) => isWord(line) || (at > 0 && isWord(said[at - 1])))
}
