// Messages in the user's place of which nobody typed a word: reminders of a client, and what its commands printed.
import { textOfUserContent, type UserContent } from '../core/content.ts'

const OPENING =
  /\s*<(system-reminder|local-command-(?:stdout|stderr|caveat)|bash-(?:stdout|stderr)|task-notification)>/y

/** True where such blocks are all there is. Each is passed once, however many there are. */
export function isOfClient(content: UserContent): boolean {
  if (typeof content !== 'string' && content.some(({ type }) => type !== 'text')) return false
  const text = textOfUserContent(content)
  let at = 0
  for (;;) {
    OPENING.lastIndex = at
    const name = OPENING.exec(text)?.[1]
    if (name === undefined) break
    const end = text.indexOf(`</${name}>`, at)
    if (end < 0) return false
    at = end + name.length + '</>'.length
  }
  return at > 0 && text.slice(at).trim() === ''
}
