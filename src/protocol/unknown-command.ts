// The error for an unknown command, the same in every interface; it is not sent to the model
import { COMMANDS } from '../core/agent/commands.ts'
import { nearestWord } from '../core/text/nearest-word.ts'

/** Letters and hyphens: a second slash or a dot makes it a path. */
const LIKE_A_COMMAND = /^\/[a-z-]+(?=\s|$)/i

interface InterfaceCommands {
  /** Names of commands that only this interface has. */
  readonly own: readonly string[]
  /** If all of them are to be found. */
  readonly listing: string
}

/**
 * What to say of a command that does not exist: it is a word alone, or nearly one that does. Undefined for
 * commands, and for messages that happen to begin with a slash.
 */
export function unknownCommand(
  text: string,
  { own, listing }: InterfaceCommands,
): string | undefined {
  const word = LIKE_A_COMMAND.exec(text)?.[0]
  const names = [...COMMANDS.map(({ name }) => name), ...own]
  if (word === undefined || names.includes(word)) return undefined
  const near = nearestWord(word, names)
  if (near !== undefined) return `There is no command ${word}. Did you mean ${near}?`
  return word === text ? `There is no command ${word}. ${listing}` : undefined
}
