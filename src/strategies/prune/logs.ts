// `logs`: long outputs of commands. Their ends stay, and what complains; of a stack, its first and last frames.
import { asRef } from '../elision.ts'
import { complains } from '../salient-lines.ts'
import { keepLines } from './kept-lines.ts'
import { type Prune, withText } from './prune-kind.ts'
import { isFileRead } from './tool-uses.ts'

const LEAST_LINES = 60
const HEAD_LINES = 8
const TAIL_LINES = 20
const MOST_COMPLAINTS = 60
/** Lines with names that were used later. */
const MOST_USED = 40
/** Of each stack, so many frames from its top and so many from its bottom. */
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
/** Packages that the project only uses. */
const FOREIGN =
  /node_modules|site-packages|\/dist-packages|node:internal|\/usr\/lib|\.cargo\/registry|<frozen/

function stackEnd(lines: readonly string[], start: number): number {
  let end = start
  while (end < lines.length && FRAME.test((lines[end] as string).slice(0, 400))) {
    end += 1
    // Python shows the line itself below each frame.
    const below = lines[end]
    if (below !== undefined && /^\s{4,}\S/.test(below) && !FRAME.test(below.slice(0, 400))) end += 1
  }
  return end - start >= TOP_FRAMES + BOTTOM_FRAMES ? end : start
}

/** Its ends, and the frames of the project itself between them. */
function isTelling(lines: readonly string[], at: number, start: number, end: number): boolean {
  if (at < start + TOP_FRAMES || at >= end - BOTTOM_FRAMES) return true
  return at < start + 4 * TOP_FRAMES && !FOREIGN.test((lines[at] as string).slice(0, 400))
}
