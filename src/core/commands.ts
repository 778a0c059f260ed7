// Commands that a user types as a message: recognised by their first word, everything else is said.

/** `/compact` with what to heed; `@compact` with what to go on with. */
export type Command =
  | { readonly command: 'compact'; readonly instructions?: string }
  | { readonly command: 'compact-and-continue'; readonly nextPrompt?: string }

/** First word → the command, given the text behind it, which is never empty. */
const COMMANDS: ReadonlyMap<string, (rest?: string) => Command> = new Map([
  [
    '/compact',
    (instructions?: string): Command => ({
      command: 'compact',
      ...(instructions !== undefined && { instructions }),
    }),
  ],
  [
    '@compact',
    (nextPrompt?: string): Command => ({
      command: 'compact-and-continue',
      ...(nextPrompt !== undefined && { nextPrompt }),
    }),
  ],
])

/** Undefined where the text is an ordinary message, as `/etc/hosts is broken` is. */
export function parseCommand(text: string): Command | undefined {
  const line = text.trim()
  const word = /^\S*/.exec(line)?.[0] ?? ''
  const rest = line.slice(word.length).trimStart()
  return COMMANDS.get(word)?.(rest === '' ? undefined : rest)
}
