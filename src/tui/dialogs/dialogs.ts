// Questions to the user. Two ways to ask them: over the screen, and as plain lines.

export interface Choice {
  readonly value: string
  readonly label: string
  readonly description?: string
  /** What is typed for it, in small letters; by these it is found, and by nothing else. */
  readonly words?: readonly string[]
  /** Shows all of the title: the first choice where the title has no room. */
  readonly showsTitle?: boolean
}

/** Whether what was typed is one of its words, or the beginning of one. */
export function isMeant({ words = [] }: Choice, typed: string): boolean {
  return typed !== '' && words.some((word) => word.startsWith(typed.toLowerCase()))
}

/** A `line` ends with Enter. */
export type EditForm = 'text' | 'line'

/** Undefined if the user wants none of it. An aborted signal takes the question back. */
export interface Dialogs {
  choose(
    title: string,
    choices: readonly Choice[],
    signal?: AbortSignal,
  ): Promise<string | undefined>
  /** Resolves when the user has read it. */
  show(title: string, text: string, form?: 'markdown' | 'plain'): Promise<void>
  /** The text as the user wants it. */
  edit(title: string, text: string, form?: EditForm): Promise<string | undefined>
}
