// Splits what a user typed into sentences, leaving out what was pasted: code, quotations, logs.

/** Longer ones are pasted text, not something that a person says in passing. */
const LONGEST_CHARS = 600
/** Beyond this a message is a document; what binds in it is found at its beginning and its end. */
const READ_CHARS = 2_000

/** What programs put around what the user typed: rules, listings, the state of an editor. */
const TAGGED = /<([a-z][\w-]{0,40})(?: [^<>]{0,200})?>[\s\S]*?<\/\1>/gi
const FENCE = /^\s*(?:```|~~~)/
const QUOTED = /^\s*(?:>|\|)/
/** The end of a sentence: a mark and a blank, or a mark of a script that needs no blank. */
const ENDS = /(?<=[.!?…]["')\]]?)\s+(?=\S)|(?<=[。！？])/

/** Substrings of the text, each as it was typed. */
export function sentencesOf(text: string): string[] {
  const read =
    text.length <= 2 * READ_CHARS
      ? text
      : `${text.slice(0, READ_CHARS)}\n${text.slice(-READ_CHARS)}`
  const found: string[] = []
  let isFenced = false
  for (const line of read.replaceAll(TAGGED, '\n').split(/\r?\n/)) {
    if (FENCE.test(line)) {
      isFenced = !isFenced
      continue
    }
    if (isFenced || QUOTED.test(line) || isMachineMade(line)) continue
    for (const piece of line.split(ENDS)) {
      const sentence = piece.replace(/^\s*(?:[-*•]|\d{1,2}[.)])\s+/, '').trim()
      if (sentence.length >= 3 && sentence.length <= LONGEST_CHARS) found.push(sentence)
    }
  }
  return found
}

/** Logs, stack traces, listings and code: few words, or the look of a machine. */
function isMachineMade(line: string): boolean {
  if (line.length > 4 * LONGEST_CHARS) return true
  if (
    /^\s*(?:at |File "|Traceback|[$#>] |\d{4}-\d\d-\d\d[T ]|\[\d|npm (?:ERR|error)|(?:\w*error|warning|fatal|panic)\b ?:)/i.test(
      line,
    )
  )
    return true
  if (/[{};]\s*$|=>|^\s*(?:import|const|let|var|def|class|function|return)\s/.test(line))
    return true
  const letters = line.match(/\p{L}/gu)?.length ?? 0
  // A sign of these scripts says as much as several letters.
  const signs = line.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}]/gu)?.length ?? 0
  return (letters + 2 * signs) * 2 < line.trim().length
}
