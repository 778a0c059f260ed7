// Questions to the user, in two forms: over the screen, and as plain lines.

export interface Choice {
  readonly value: string
  readonly label: string
  readonly description?: string
  /** Lower-case words that select it; if set, nothing else does. */
  readonly words?: readonly string[]
  /** Shows the full title; comes first if the title is truncated. */
  readonly showsTitle?: boolean
}

/** Whether the typed text begins one of its words. */
export function isMeant({ words = [] }: Choice, typed: string): boolean {
  return typed !== '' && words.some((word) => word.startsWith(typed.toLowerCase()))
}

/** A `line` ends with Enter. */
export type EditForm = 'text' | 'line'

/** Undefined if the user cancels. An aborted signal withdraws the question. */
export interface Dialogs {
  choose(
    title: string,
    choices: readonly Choice[],
    signal?: AbortSignal,
  ): Promise<string | undefined>
  /** Resolves when the user has closed it. */
  show(title: string, text: string, form?: 'markdown' | 'plain'): Promise<void>
  /** The edited text. */
  edit(title: string, text: string, form?: EditForm): Promise<string | undefined>
}
