// Marks that separate a paste from typed text. Imports nothing, because hooks must start fast.

export const FENCE = /^\s*(`{3,}|~{3,})/
export const QUOTED = /^[\s\u200b-\u200f\u2060]*[>|＞]/
/** A tag at the start of a line, and the rest of the line. */
export const TAG = /^\s*<([a-z][\w-]{0,40})(?:\s[^<>]{0,200})?>\s*(\S?)/i
export const INLINE = /<([a-z][\w-]{0,40})(?:\s[^<>]{0,200})?>[^\n]*<\/\1>/gi

/** The mark that hosts put before pasted text, whose end is unknown. */
const PASTE_MARK = /\[past(?:e|ed)\b[^\]\n]{0,60}\]/i
/** A person in a chat other than the agent. */
const SPEAKER =
  /^\s*@(?!(?:agent|assistant|ai|bot|claude|codex|copilot|cursor|gemini|opencode|precis)\b)[\w.-]{1,40}\s?[:：]/i
/** A URL on its own line: the following text probably comes from there. */
const ADDRESS =
  /^\s*(?:(?:source|quelle|fuente|via|link|url)\s?[:：]\s*)?(?:<?(?:https?:\/\/|www\.)\S{3,2000}>?|\[[^\]\n]{1,200}\]\(https?:\S{3,2000}\))\s*$/i
/** The line above talks about the URL. */
const SPEAKS_OF = /[:：,]\s*$/

/**
 * Where on this line a paste starts that continues to the end of the text. `above` is the nearest non-empty
 * line before it.
 */
export function findPasteStart(line: string, above: string): number | undefined {
  const mark = line.search(PASTE_MARK)
  if (mark >= 0) return mark
  if (SPEAKER.test(line)) return 0
  return ADDRESS.test(line) && !SPEAKS_OF.test(above) && !ADDRESS.test(above) ? 0 : undefined
}

/** Whether a line belongs to a quotation: directly below one it continues it, as in Markdown. */
export function isQuoting(line: string, above: boolean): boolean {
  return line.trim() !== '' && (above || (QUOTED.test(line) && !line.trimStart().startsWith('|')))
}

const CLOSING = /<\/[a-z][\w-]{0,40}>|\[\/(?:quote|code)\]|#\+end_\w{1,20}|\*\//gi

/** The last line that closes each tag or block, by lower-case closing mark. */
export function lastClosings(lines: readonly string[]): ReadonlyMap<string, number> {
  const closings = new Map<string, number>()
  lines.forEach((line, index) => {
    for (const [mark] of line.matchAll(CLOSING)) closings.set(mark.toLowerCase(), index)
  })
  return closings
}
