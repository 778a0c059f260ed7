// `logs`: shortens long command outputs to their ends, errors, and the first and last frames of stacks.
import type { EntryId } from '../../core/edit/change.ts'
import { readSubject } from '../../core/ledger/call-fields.ts'
import { complains, findSalientLines } from '../mask.ts'
import { asData, quoted } from '../summary/as-data.ts'
import { asRef } from '../trim.ts'
import { template } from './progress.ts'
import { type Elision, isFileRead, type Prune, type ToolUse, withText } from './tool-uses.ts'

const LEAST_LOG_CHARS = 300
const MOST_LINES = 12
const LINE_CHARS = 300
/** Limit per output. */
const READ_CHARS = 200_000

/** `failed-attempts`: failures before a success. Keeps each error once, at its last occurrence. */
export const failedAttempts: Prune = {
  name: 'failed-attempts',
  find({ uses, until }) {
    const groups = Map.groupBy(uses, attemptedBy)
    return [...groups.values()].flatMap((group) => pruneGroup(group, until))
  },
}

/** The same tool on the same subject. */
function attemptedBy({ call, intent }: ToolUse): string {
  if (intent.kind === 'shell') return `shell ${intent.key || intent.command}`
  return `${call.name} ${readSubject(call.arguments)}`
}

function pruneGroup(group: readonly ToolUse[], until: number): Elision[] {
  const elisions: Elision[] = []
  const known = new Set<string>()
  let worked: EntryId | undefined
  for (const use of group.toReversed()) {
    if (!use.isFailed) {
      worked = use.ref
      known.clear()
    } else if (worked !== undefined && use.at < until && !use.isElided) {
      const lines = complaints(use.text).filter((line) => !known.has(template(line)))
      for (const line of lines) known.add(template(line))
      if (use.text.length < LEAST_LOG_CHARS) continue
      const head = `[Failed, and worked later ${asRef(worked)}. The whole: ${asRef(use.ref)}]`
      elisions.push(
        withText(
          use,
          [head, ...lines.slice(-MOST_LINES).map((line) => quoted(asData(line)))].join('\n'),
        ),
      )
    }
  }
  return elisions
}

/** Without errors, the ends. */
function complaints(text: string): string[] {
  const lines = text.slice(0, READ_CHARS).split('\n').filter(complains)
  if (lines.length > 0) return lines.map((line) => line.trim().slice(0, LINE_CHARS).trimEnd())
  const { head, tail } = findSalientLines(text, { head: 1, tail: 2 })
  return [...head, ...tail]
}

/** Shorter gaps are kept: a note would be as long. */
const SHORTEST_GAP = 3

/** Undefined if nothing would be removed. */
export function keepLines(
  lines: readonly string[],
  isKept: (line: string, at: number) => boolean,
  ref: string,
): string | undefined {
  const kept: string[] = []
  let gap: string[] = []
  let gone = 0
  const close = () => {
    if (gap.length < SHORTEST_GAP) for (const line of gap) kept.push(line)
    else {
      kept.push(`[… ${gap.length.toLocaleString('en-US')} lines left out …]`)
      gone += gap.length
    }
    gap = []
  }
  lines.forEach((line, at) => {
    if (!isKept(line, at)) gap.push(line)
    else {
      close()
      kept.push(line)
    }
  })
  close()
  return gone === 0 ? undefined : [...kept, `[The whole: ${ref}]`].join('\n')
}

const LEAST_LINES = 60
const HEAD_LINES = 8
const TAIL_LINES = 20
const MOST_COMPLAINTS = 60
/** Lines with names used later. */
const MOST_USED = 40
/** Frames kept from the top and bottom of a stack. */
const TOP_FRAMES = 3
const BOTTOM_FRAMES = 1

export const logs: Prune = {
  name: 'logs',
  isSingle: true,
  find({ uses, until, later }) {
    return uses.flatMap((use) => {
      if (use.at >= until || use.isElided || use.intent.kind !== 'shell' || isFileRead(use))
        return []
      const lines = use.text.split('\n')
      if (lines.length < LEAST_LINES) return []
      const kept = keptIn(lines, (line) => later.usesAny(line, use.at))
      const text = keepLines(lines, (_, at) => kept.has(at), asRef(use.ref))
      return text === undefined ? [] : [withText(use, text)]
    })
  },
}

function keptIn(lines: readonly string[], isUsed: (line: string) => boolean): Set<number> {
  const kept = new Set<number>()
  let complaints = 0
  let used = 0
  for (let at = 0; at < lines.length; ) {
    const end = stackEnd(lines, at)
    for (let frame = at; frame < end; frame += 1)
      if (isTelling(lines, frame, at, end)) kept.add(frame)
    if (end > at) {
      at = end
      continue
    }
    const line = lines[at] as string
    const isEnd = at < HEAD_LINES || at >= lines.length - TAIL_LINES
    const isComplaint = complaints < MOST_COMPLAINTS && complains(line)
    if (isComplaint) complaints += 1
    const isTaken = !isEnd && !isComplaint && used < MOST_USED && isUsed(line)
    if (isTaken) used += 1
    if (isEnd || isComplaint || isTaken) kept.add(at)
    at += 1
  }
  return kept
}

const FRAME =
  /^\s*(?:at \S|File "[^"]{1,300}", line \d|#\d{1,4} |from \S{1,300}:\d|\.{3} \d{1,6} more)/
/** Third-party packages. */
const FOREIGN =
  /node_modules|site-packages|\/dist-packages|node:internal|\/usr\/lib|\.cargo\/registry|<frozen/

function stackEnd(lines: readonly string[], start: number): number {
  let end = start
  while (end < lines.length && FRAME.test((lines[end] as string).slice(0, 400))) {
    end += 1
    // Python shows the source line below each frame.
    const below = lines[end]
    if (below !== undefined && /^\s{4,}\S/.test(below) && !FRAME.test(below.slice(0, 400))) end += 1
  }
  return end - start >= TOP_FRAMES + BOTTOM_FRAMES ? end : start
}

/** The ends, and the project's own frames in between. */
function isTelling(lines: readonly string[], at: number, start: number, end: number): boolean {
  if (at < start + TOP_FRAMES || at >= end - BOTTOM_FRAMES) return true
  return at < start + 4 * TOP_FRAMES && !FOREIGN.test((lines[at] as string).slice(0, 400))
}
