// Marks that separate a paste from typed text; loads nothing, since hooks must start fast

export const FENCE = /^\s*(`{3,}|~{3,})/
export const QUOTED = /^[\s\u200b-\u200f\u2060]*[>|＞]/
/** A tag with which a line begins, and what else is on it. */
export const TAG = /^\s*<([a-z][\w-]{0,40})(?:\s[^<>]{0,200})?>\s*(\S?)/i
export const INLINE = /<([a-z][\w-]{0,40})(?:\s[^<>]{0,200})?>[^\n]*<\/\1>/gi

/** What hosts put before a text that was pasted: nothing says where that ends. */
const PASTE_MARK = /\[past(?:e|ed)\b[^\]\n]{0,60}\]/i
/** A person of a chat who is not the agent. */
const SPEAKER =
  /^\s*@(?!(?:agent|assistant|ai|bot|claude|codex|copilot|cursor|gemini|opencode|precis)\b)[\w.-]{1,40}\s?[:：]/i
/** An address alone on its line: what follows is likely to come from there. */
const ADDRESS =
  /^\s*(?:(?:source|quelle|fuente|via|link|url)\s?[:：]\s*)?(?:<?(?:https?:\/\/|www\.)\S{3,2000}>?|\[[^\]\n]{1,200}\]\(https?:\S{3,2000}\))\s*$/i
/** The address is an example or a place that the line above speaks of. */
const SPEAKS_OF = /[:：,]\s*$/

/**
 * Where on this line a paste begins that goes on to the end of the text. `above` is the nearest line
 * above it with anything on it.
 */
export function findPasteStart(line: string, above: string): number | undefined {
  const mark = line.search(PASTE_MARK)
  if (mark >= 0) return mark
  if (SPEAKER.test(line)) return 0
  return ADDRESS.test(line) && !SPEAKS_OF.test(above) && !ADDRESS.test(above) ? 0 : undefined
}

/** Whether a line is of a quotation: directly under one it goes on with it, as in Markdown. */
export function isQuoting(line: string, above: boolean): boolean {
  return line.trim() !== '' && (above || (QUOTED.test(line) && !line.trimStart().startsWith('|')))
}

const CLOSING = /<\/[a-z][\w-]{0,40}>|\[\/(?:quote|code)\]|#\+end_\w{1,20}|\*\//gi

/** The last line that closes each tag or block, by the closing mark in small letters. */
export function lastClosings(lines: readonly string[]): ReadonlyMap<string, number> {
  const closings = new Map<string, number>()
  lines.forEach((line, index) => {
    for (const [mark] of line.matchAll(CLOSING)) closings.set(mark.toLowerCase(), index)
  })
  return closings
}
