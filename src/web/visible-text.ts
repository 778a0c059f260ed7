// Text of others, as it is shown: characters that hide or turn the words around them are seen, not obeyed.
import { escapeSteering } from '../protocol/index.ts'

export function visibleText(text: string): string {
  return escapeSteering(text)
}

/** Of a thread in which nothing was said yet, too. */
export function titleText(title: string): string {
  return visibleText(title) || 'Untitled'
}
