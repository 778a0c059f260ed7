// The threads that are followed while their process is killed, and what was seen of them.

export const FOLLOWED: readonly string[] = ['a', 'b']

/** The number of the last row that a follower acknowledged, by thread. Lines are `THREAD SEQ ID`. */
export function seenBefore(lines: readonly string[]): Map<string, number> {
  const seen = new Map<string, number>()
  for (const line of lines) {
    const [threadId = '', seq = ''] = line.split(' ')
    if (threadId !== '') seen.set(threadId, Number(seq))
  }
  return seen
}
