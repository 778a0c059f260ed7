// A text reduced to some lines, with counts of the gaps and the ref of the whole

/** Fewer lines in a row are kept as they are: the note would be as long. */
const SHORTEST_GAP = 3

/** Undefined if nothing would go. */
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
