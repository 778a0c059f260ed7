// The blocks that an interface draws; a block is replaced, never mutated
import type { Json } from '../core/text/json.ts'
import type { ToolStatus } from '../core/view/content.ts'

export type ViewBlock =
  | UserBlock
  | AnswerBlock
  | ThinkingBlock
  | ToolBlock
  | CompactionBlock
  | NoticeBlock

interface Keyed {
  readonly key: string // the same for every version of a block
}

export interface UserBlock extends Keyed {
  readonly kind: 'user'
  readonly text: string
  readonly attachments: readonly string[] // what is not a text, in a word each
  /** Said by précis on the user's behalf, as to continue after a compaction. */
  readonly isAutomatic: boolean
}

export interface AnswerBlock extends Keyed {
  readonly kind: 'answer'
  readonly text: string // Markdown
  readonly isStreaming: boolean
  /** Why there is no more of it, where it did not come to its end. */
  readonly cut?: 'aborted' | 'error' | 'length' | 'refusal'
}

export interface ThinkingBlock extends Keyed {
  readonly kind: 'thinking'
  readonly text: string
  readonly isStreaming: boolean
}

export interface ToolBlock extends Keyed {
  readonly kind: 'tool'
  readonly callId: string
  readonly name: string
  readonly subject: string
  readonly input?: Json
  readonly state: 'waiting' | 'asking' | 'running' | ToolStatus
  readonly progress?: string // the last thing it said while it runs
  readonly result?: string
}

/** One compaction, from the moment it starts. */
export interface CompactionBlock extends Keyed {
  readonly kind: 'compaction'
  readonly state: 'running' | 'done' | 'failed' | 'undone'
  readonly strategy: string
  readonly seq?: number // of its event, where it changed this thread
  readonly message?: string // while it runs
  readonly done?: number
  readonly total?: number
  readonly summary?: string
  readonly beforeTokens?: number
  readonly afterTokens?: number
  /** It found nothing to take out: the context is as it was, and there is nothing to undo. */
  readonly isEmpty?: true
  readonly error?: string
  /** It opened another thread, and left this one as it was; or it opened this one. */
  readonly isFresh: boolean
  readonly freshThreadId?: string
}

export interface NoticeBlock extends Keyed {
  readonly kind: 'notice'
  readonly level: 'info' | 'warning' | 'error' | 'reply'
  readonly text: string
  /** The command that it answers. */
  readonly command?: string
}
