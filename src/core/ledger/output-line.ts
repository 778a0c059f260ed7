// The one line of an output that tells most: small, because the smallest bundles have it, too.
import { cutHead, cutTail } from '../window/tokens/cut.ts'

export const LINE_CHARS = 300

/** The line that explains the failure; otherwise the last one. */
export function tellingLine(output: string): string {
  const tail = cutTail(output, 20_000).split('\n')
  const found = tail.findLast(
    (line) =>
      line.length < 1_000 &&
      /\b(?:error|fail(?:ed|ure)?|fatal|cannot|exception|not found|denied|no such file)\b/i.test(
        line,
      ),
  )
  return cutHead((found ?? lastLine(output)).trim(), LINE_CHARS)
}

/** The last line that is neither frame nor empty: usually the error, or a count. */
export function lastLine(output: string): string {
  const at = output.lastIndexOf('\n')
  return (at < 0 ? output : output.slice(at + 1)).trim()
}
