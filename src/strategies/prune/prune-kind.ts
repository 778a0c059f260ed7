// The interface of a prune rule: finds content of a context that can be shortened
import type { Block, UserContent } from '../../core/view/content.ts'
import type { PruneView, ToolUse } from './tool-uses.ts'

export type Elision =
  /** This result becomes that. */
  | { readonly use: ToolUse; readonly content: readonly Block[] }
  /** A whole round becomes what the agent said in it, and a line on what it did. */
  | { readonly use: ToolUse; readonly said: string }
  /** Something the user said, without images that are old. */
  | { readonly at: number; readonly words: UserContent }

export interface Prune {
  readonly name: string
  /** Each result is looked at by itself: those that another prune has taken are not shown to it. */
  readonly isSingle?: true
  find(view: PruneView): Elision[]
}

/** A result with another text; its images and the like stay. */
export function withText(use: ToolUse, text: string): Elision {
  const rest = use.result.content.filter((block) => block.text === undefined)
  return { use, content: [{ type: 'text', text }, ...rest] }
}
